// Receives Action requests with Go's standard library.
package main

import (
	"encoding/json"
	"errors"
	"io"
	"log"
	"net/http"
	"os"
	"strings"
	"time"
)

const maxBodyBytes = 1 << 20

func main() {
	secret := os.Getenv("SIGNING_SECRET")
	if secret == "" {
		log.Fatal("Set SIGNING_SECRET to the signing secret of the Action")
	}
	inbox := setting("INBOX", "inbox")
	if err := os.MkdirAll(inbox, 0o700); err != nil {
		log.Fatal(err)
	}
	mux := http.NewServeMux()
	mux.HandleFunc("/actions", func(w http.ResponseWriter, r *http.Request) { receive(w, r, secret, inbox) })
	server := &http.Server{
		Addr:        setting("HOST", "127.0.0.1") + ":" + setting("PORT", "8080"),
		Handler:     mux,
		ReadTimeout: 10 * time.Second,
	}
	log.Printf("listening on %s", server.Addr)
	cert, key := os.Getenv("TLS_CERT"), os.Getenv("TLS_KEY")
	if cert != "" && key != "" {
		log.Fatal(server.ListenAndServeTLS(cert, key))
	}
	log.Fatal(server.ListenAndServe())
}

func setting(name, otherwise string) string {
	if value := os.Getenv(name); value != "" {
		return value
	}
	return otherwise
}

func receive(w http.ResponseWriter, r *http.Request, secret, inbox string) {
	// Reads the raw bytes, because a parsed body cannot be verified.
	rawBody, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBodyBytes))
	if err != nil {
		var tooLarge *http.MaxBytesError
		if errors.As(err, &tooLarge) {
			answer(w, http.StatusRequestEntityTooLarge, "The body is too large")
		}
		return
	}
	signature := strings.Join(r.Header.Values("X-Service-Signature"), ",")
	if problem := problemWith(rawBody, signature, secret, time.Now()); problem != nil {
		answer(w, problem.status, problem.message)
		return
	}
	trigger, ref := r.Header.Get("X-Service-Trigger"), r.Header.Get("X-Service-Trigger-Ref")
	name := fileName(rawBody, trigger, ref)
	if name == "" {
		answer(w, http.StatusBadRequest, "The request is malformed")
		return
	}
	if err := storeOnce(inbox, name, rawBody); err != nil {
		// A 5xx makes the service send an event again.
		log.Print(err)
		answer(w, http.StatusInternalServerError, "Internal error")
		return
	}
	log.Printf("verified: %s %q, kept in %s", trigger, ref, name)
	answer(w, http.StatusOK, "")
}

// answer writes the reply and logs a problem. Without a problem, the reply confirms that the request was received.
func answer(w http.ResponseWriter, status int, problem string) {
	var reply any = map[string]bool{"received": true}
	if problem != "" {
		log.Printf("refused: %d %s", status, problem)
		reply = map[string]string{"error": problem}
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	if err := json.NewEncoder(w).Encode(reply); err != nil {
		log.Print(err)
	}
}
