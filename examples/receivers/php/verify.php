<?php

declare(strict_types=1);

const TOLERANCE_SECONDS = 300;

/**
 * Verifies the X-Service-Signature header with the raw bytes of the body.
 *
 * @return array{int, string}|null status and message to refuse with, or null when the signature matches and the timestamp is fresh
 */
function problem_with(string $rawBody, ?string $header, string $secret): ?array
{
    if ($header === null) {
        return [400, 'X-Service-Signature is missing'];
    }
    $parts = [];
    $pairs = explode(',', $header);
    foreach ($pairs as $part) {
        [$name, $value] = explode('=', trim($part), 2) + [1 => ''];
        $parts[$name] = $value;
    }
    $t = $parts['t'] ?? '';
    $v1 = $parts['v1'] ?? '';
    // \z instead of $, because $ would allow a line feed at the end.
    $repeated = count($parts) < count($pairs);
    if ($repeated || !preg_match('/\A[0-9]{1,12}\z/', $t) || !preg_match('/\A[0-9a-f]{64}\z/', $v1)) {
        return [400, 'X-Service-Signature is malformed'];
    }
    if (abs(time() - (int) $t) > TOLERANCE_SECONDS) {
        return [400, 'The timestamp is stale'];
    }
    if (!hash_equals(hash_hmac('sha256', "$t.$rawBody", $secret), $v1)) {
        return [401, 'The signature does not match'];
    }
    return null;
}
