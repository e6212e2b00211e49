package main

import (
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
)

var idForm = regexp.MustCompile(`^[A-Za-z0-9-]{1,64}$`)

// fileName returns a name from the id that makes the request unique: an event's id or a form's submission id. It returns an empty
// name when the request is malformed.
func fileName(rawBody []byte, trigger, triggerRef string) string {
	var body map[string]json.RawMessage
	if len(rawBody) > 0 && (json.Unmarshal(rawBody, &body) != nil || body == nil) {
		return ""
	}
	var id string
	switch {
	case trigger == "form" && body == nil:
		// A GET request has no body; its id is in the header.
		id = triggerRef
	case trigger == "form":
		id = text(body["submission_id"])
	case trigger == "event" && body != nil:
		id = text(body["id"])
	case trigger == "event", trigger == "ai":
		// Each call of the assistant is separate, and so is each event that is sent with GET.
		id = randomID()
	}
	if !idForm.MatchString(id) {
		return ""
	}
	return trigger + "-" + id + ".json"
}

func text(value json.RawMessage) string {
	var decoded string
	if json.Unmarshal(value, &decoded) != nil {
		return ""
	}
	return decoded
}

func randomID() string {
	bytes := make([]byte, 16)
	if _, err := rand.Read(bytes); err != nil {
		panic(err)
	}
	return hex.EncodeToString(bytes)
}

// storeOnce returns when the bytes are on the disk. It writes nothing when the name exists, because the request is then a repeat.
// In production, use a table with a unique key.
func storeOnce(directory, name string, content []byte) error {
	file, err := os.CreateTemp(directory, ".receiving-*")
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
	err = os.Link(file.Name(), filepath.Join(directory, name))
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	return err
}
