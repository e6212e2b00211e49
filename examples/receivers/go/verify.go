package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"strconv"
	"strings"
	"time"
)

const toleranceSeconds = 300

// problemWith verifies the X-Service-Signature header with the raw bytes of the body. It returns the status and the message of a
// refusal, or an empty message when the signature matches and the timestamp is fresh.
func problemWith(rawBody []byte, header string, secret string, now time.Time) (status int, problem string) {
	if header == "" {
		return http.StatusBadRequest, "X-Service-Signature is missing"
	}
	parts := map[string]string{}
	pairs := strings.Split(header, ",")
	for _, part := range pairs {
		name, value, _ := strings.Cut(strings.TrimSpace(part), "=")
		parts[name] = value
	}
	t := parts["t"]
	signedAt, notNumber := strconv.ParseUint(t, 10, 40)
	received, notHex := hex.DecodeString(parts["v1"])
	repeated := len(parts) < len(pairs)
	if repeated || notNumber != nil || notHex != nil || len(received) != sha256.Size {
		return http.StatusBadRequest, "X-Service-Signature is malformed"
	}
	if age := now.Unix() - int64(signedAt); age > toleranceSeconds || age < -toleranceSeconds {
		return http.StatusBadRequest, "The timestamp is stale"
	}
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(t + "."))
	mac.Write(rawBody)
	if !hmac.Equal(received, mac.Sum(nil)) {
		return http.StatusUnauthorized, "The signature does not match"
	}
	return 0, ""
}
