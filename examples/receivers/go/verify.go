package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"
)

const toleranceSeconds = 300

var (
	timestampForm = regexp.MustCompile(`^[0-9]{1,12}$`)
	digestForm    = regexp.MustCompile(`^[0-9a-f]{64}$`)
)

// refusal is the answer to a request that the receiver must not act upon.
type refusal struct {
	status  int
	message string
}

// problemWith verifies the X-Service-Signature header with the raw bytes of the body. It returns nil when the signature matches and
// the timestamp is fresh.
func problemWith(rawBody []byte, header string, secret string, now time.Time) *refusal {
	if header == "" {
		return &refusal{http.StatusBadRequest, "X-Service-Signature is missing"}
	}
	parts := map[string]string{}
	pairs := strings.Split(header, ",")
	for _, part := range pairs {
		name, value, _ := strings.Cut(strings.TrimSpace(part), "=")
		parts[name] = value
	}
	t, v1 := parts["t"], parts["v1"]
	repeated := len(parts) < len(pairs)
	if repeated || !timestampForm.MatchString(t) || !digestForm.MatchString(v1) {
		return &refusal{http.StatusBadRequest, "X-Service-Signature is malformed"}
	}
	signedAt, err := strconv.ParseInt(t, 10, 64)
	if err != nil {
		return &refusal{http.StatusBadRequest, "X-Service-Signature is malformed"}
	}
	if age := now.Unix() - signedAt; age > toleranceSeconds || age < -toleranceSeconds {
		return &refusal{http.StatusBadRequest, "The timestamp is stale"}
	}

	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(t + "."))
	mac.Write(rawBody)
	received, err := hex.DecodeString(v1)
	if err != nil || !hmac.Equal(received, mac.Sum(nil)) {
		return &refusal{http.StatusUnauthorized, "The signature does not match"}
	}
	return nil
}
