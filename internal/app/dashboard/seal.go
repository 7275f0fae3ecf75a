package dashboard

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
)

// A cookie is sealed with AES-256-GCM under a key from the App's secret, so
// that any machine of the App can read it and nobody else. Its name goes in, so
// that one cookie cannot stand for another.

const keySize = 32

func aead(secret, name string) (cipher.AEAD, error) {
	key, err := hkdf.Key(sha256.New, []byte(secret), nil, "bench dashboard "+name, keySize)
	if err != nil {
		return nil, fmt.Errorf("derive cookie key: %w", err)
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, fmt.Errorf("derive cookie key: %w", err)
	}
	return cipher.NewGCMWithRandomNonce(block)
}

func seal(secret, name string, value any) (string, error) {
	box, err := aead(secret, name)
	if err != nil {
		return "", err
	}
	text, err := json.Marshal(value)
	if err != nil {
		return "", fmt.Errorf("seal cookie: %w", err)
	}
	return base64.RawURLEncoding.EncodeToString(box.Seal(nil, nil, text, []byte(name))), nil
}

var errBroken = errors.New("the cookie is not one of ours")

func unseal(secret, name, sealed string, into any) error {
	box, err := aead(secret, name)
	if err != nil {
		return err
	}
	raw, err := base64.RawURLEncoding.DecodeString(sealed)
	if err != nil {
		return errBroken
	}
	text, err := box.Open(nil, nil, raw, []byte(name))
	if err != nil {
		return errBroken
	}
	return json.Unmarshal(text, into)
}
