package main

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"time"
)

const toleranceSeconds = 300

// refused says why a request must not be acted upon. status is the HTTP status to answer.
type refused struct {
	status  int
	message string
}

func (r *refused) Error() string { return r.message }

func malformed(message string) error { return &refused{http.StatusBadRequest, message} }

// verifyAction returns the id to deduplicate on: that of an event or a form submission, and a new one for a request without such an id.
// Store rawBody under it: parsing and serializing again may change numbers. trigger is the kind of the Action: event, form or ai.
// The error is a *refused.
func verifyAction(rawBody []byte, header http.Header, secret, trigger string, now time.Time) (string, error) {
	signature := strings.Join(header.Values("X-Service-Signature"), ",")
	if err := verifySignature(rawBody, signature, secret, now); err != nil {
		return "", err
	}
	// The signature does not cover these headers: a signed event could arrive again as a call of the assistant.
	if header.Get("X-Service-Trigger") != trigger {
		return "", malformed("X-Service-Trigger is not the kind of this Action")
	}
	if len(rawBody) == 0 {
		return rand.Text(), nil
	}
	// The values stay text, because a number may be one that float64 cannot hold. A struct would ignore upper and lower case of names.
	var body map[string]json.RawMessage
	if json.Unmarshal(rawBody, &body) != nil || body == nil {
		return "", malformed("The body is not a JSON object")
	}
	if trigger == "ai" {
		return rand.Text(), nil
	}
	idField, refField := "submission_id", "submission_id"
	if trigger == "event" {
		idField, refField = "id", "event"
	}
	var id, named string
	wrong := json.Unmarshal(body[idField], &id) != nil || json.Unmarshal(body[refField], &named) != nil
	if ref := header.Get("X-Service-Trigger-Ref"); wrong || ref == "" || named != ref {
		return "", malformed("The body is not the one that the headers announce")
	}
	return id, nil
}

// verifySignature returns an error unless the signature matches the raw bytes and the timestamp is fresh.
func verifySignature(rawBody []byte, header, secret string, now time.Time) error {
	// An .env file or `echo` may add these. With an empty secret, anybody could sign.
	secret = strings.Trim(secret, "\"' \t\r\n\ufeff")
	if secret == "" {
		return &refused{http.StatusInternalServerError, "The signing secret is not set"}
	}
	if header == "" {
		return malformed("X-Service-Signature is missing")
	}
	parts := map[string]string{}
	pairs := strings.Split(header, ",")
	for _, part := range pairs {
		name, value, _ := strings.Cut(strings.TrimSpace(part), "=")
		parts[name] = value
	}
	t := parts["t"]
	// 40 bits hold the seconds of 34 000 years, and no sum of them overflows.
	signedAt, notNumber := strconv.ParseUint(t, 10, 40)
	received, notHex := hex.DecodeString(parts["v1"])
	repeated := len(parts) < len(pairs)
	if repeated || notNumber != nil || notHex != nil || len(received) != sha256.Size {
		return malformed("X-Service-Signature is malformed")
	}
	if age := now.Unix() - int64(signedAt); age > toleranceSeconds || age < -toleranceSeconds {
		return malformed("The timestamp is stale")
	}
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(t + "."))
	mac.Write(rawBody)
	if !hmac.Equal(received, mac.Sum(nil)) {
		return &refused{http.StatusUnauthorized, "The signature does not match"}
	}
	return nil
}
