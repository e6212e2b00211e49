// Receives Action requests with Go's standard library.
package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"log"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"time"
)

const maxBodyBytes = 1 << 20

var (
	secret  = os.Getenv("SIGNING_SECRET")
	trigger = cmp.Or(os.Getenv("TRIGGER"), "event")
	inbox   = cmp.Or(os.Getenv("INBOX"), "inbox")
	idForm  = regexp.MustCompile(`^[A-Za-z0-9-]{1,64}$`)
)

func main() {
	if secret == "" {
		log.Fatal("Set SIGNING_SECRET to the signing secret of the Action")
	}
	if err := os.MkdirAll(inbox, 0o700); err != nil {
		log.Fatal(err)
	}
	http.HandleFunc("/actions", receive)
	address := cmp.Or(os.Getenv("HOST"), "127.0.0.1") + ":" + cmp.Or(os.Getenv("PORT"), "8080")
	server := &http.Server{Addr: address, ReadTimeout: 10 * time.Second}
	log.Printf("listening on %s", address)
	log.Fatal(server.ListenAndServe())
}

func receive(w http.ResponseWriter, r *http.Request) {
	// Reads the raw bytes, because a parsed body cannot be verified.
	rawBody, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBodyBytes))
	if err != nil {
		answer(w, http.StatusRequestEntityTooLarge, "The body is incomplete or too large")
		return
	}
	id, err := verifyAction(rawBody, r.Header, secret, trigger, time.Now())
	if err == nil && !idForm.MatchString(id) {
		err = malformed("The id is no file name")
	}
	if problem := (*refused)(nil); errors.As(err, &problem) {
		answer(w, problem.status, problem.message)
		return
	}
	name := trigger + "-" + id + ".json"
	if err := storeOnce(name, rawBody); err != nil {
		// A 5xx makes the service send an event again.
		log.Print(err)
		answer(w, http.StatusInternalServerError, "Internal error")
		return
	}
	log.Printf("verified: %s %q, kept in %s", trigger, r.Header.Get("X-Service-Trigger-Ref"), name)
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

// storeOnce returns when the bytes are on the disk. It writes nothing when the name exists, because the request is then a repeat.
// In production, use a table with a unique key.
func storeOnce(name string, content []byte) error {
	file, err := os.CreateTemp(inbox, ".receiving-*")
	if err != nil {
		return err
	}
	defer os.Remove(file.Name())
	defer file.Close()
	if _, err := file.Write(content); err != nil {
		return err
	}
	if err := file.Sync(); err != nil {
		return err
	}
	// Link fails when the name exists, so two concurrent requests create one file.
	err = os.Link(file.Name(), filepath.Join(inbox, name))
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	return err
}
