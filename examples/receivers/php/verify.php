<?php
// Verifies an Action request, in any framework. It needs no other package.

/** The request must not be acted upon. The code is the HTTP status to answer. */
final class Refused extends Exception {}

/**
 * Returns the id to deduplicate on: that of an event or a form submission, and a new one for a request without such an id.
 * Store the raw body under it: decoding and encoding again may change numbers.
 *
 * @param array $server `$_SERVER`, or the server variables of a framework's request
 * @param string $trigger the kind of the Action: event, form or ai
 * @throws Refused
 */
function verify_action(string $rawBody, array $server, string $secret, string $trigger): string
{
    if (strlen($rawBody) > 1048576) throw new Refused('The body is too large', 413);
    // An .env file or `echo` may add these. With an empty secret, anybody could sign.
    $secret = trim($secret, "\"' \t\r\n");
    if ($secret === '') throw new Refused('The signing secret is not set', 500);
    $header = $server['HTTP_X_SERVICE_SIGNATURE'] ?? '';
    $isWellFormed = preg_match('/^t=([0-9]{1,12}), ?v1=([0-9a-f]{64})(?:,|$)/D', $header, $signature);
    if (!$isWellFormed || preg_match_all('/, ?(?:t|v1)=/', $header) > 1) throw new Refused('The signature is malformed', 400);
    [, $t, $v1] = $signature;
    if (abs(time() - (int) $t) > 300) throw new Refused('The timestamp is stale', 400);
    if (!hash_equals(hash_hmac('sha256', "$t.$rawBody", $secret), $v1)) throw new Refused('The signature does not match', 401);
    // The signature does not cover these headers: a signed event could arrive again as a call of the assistant.
    if (($server['HTTP_X_SERVICE_TRIGGER'] ?? '') !== $trigger) throw new Refused('The request is of another kind', 400);
    $newId = bin2hex(random_bytes(16));
    if ($rawBody === '') return $newId;
    // Half of an emoji, as \ud83d, is JSON that PHP does not decode. Only the names below are read from this copy.
    $copy = preg_replace_callback('/(\\\\\\\\)|\\\\ud[89a-f]../i', fn (array $match): string => $match[1] ?? '?', $rawBody);
    $body = json_decode($copy, true);
    if (!is_array($body) || $rawBody[0] !== '{') throw new Refused('The body is not a JSON object', 400);
    if ($trigger === 'ai') return $newId;
    [$id, $ref] = $trigger === 'form' ? ['submission_id', 'submission_id'] : ['id', 'event'];
    $isNamed = ($body[$ref] ?? '') === ($server['HTTP_X_SERVICE_TRIGGER_REF'] ?? '');
    if (!$isNamed || !is_string($body[$id] ?? null) || $body[$id] === '') throw new Refused('The body is not the one that the headers name', 400);
    return $body[$id];
}
