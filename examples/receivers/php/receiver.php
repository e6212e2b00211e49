<?php

declare(strict_types=1);

// Run it with `php -S 127.0.0.1:8080 receiver.php`. In production, use PHP-FPM behind your TLS terminator.

require __DIR__ . '/verify.php';
require __DIR__ . '/inbox.php';

const MAX_BODY_BYTES = 1024 * 1024;

/** @return array{int, string|null} */
function receive(string $secret, string $inbox): array
{
    if (parse_url($_SERVER['REQUEST_URI'], PHP_URL_PATH) !== '/actions') {
        return [404, 'Not found'];
    }
    // Reads the raw bytes, because a parsed body cannot be verified.
    $rawBody = file_get_contents('php://input', false, null, 0, MAX_BODY_BYTES + 1);
    if ($rawBody === false || strlen($rawBody) > MAX_BODY_BYTES) {
        return [413, 'The body is too large'];
    }
    $problem = problem_with($rawBody, $_SERVER['HTTP_X_SERVICE_SIGNATURE'] ?? null, $secret);
    if ($problem !== null) {
        return $problem;
    }
    $trigger = $_SERVER['HTTP_X_SERVICE_TRIGGER'] ?? null;
    $ref = $_SERVER['HTTP_X_SERVICE_TRIGGER_REF'] ?? null;
    $name = file_name($rawBody, $trigger, $ref);
    if ($name === null) {
        return [400, 'The request is malformed'];
    }
    store_once($inbox, $name, $rawBody);
    error_log("verified: $trigger " . json_encode($ref, JSON_INVALID_UTF8_SUBSTITUTE) . ", kept in $name");
    return [200, null];
}

try {
    $secret = getenv('SIGNING_SECRET') ?: throw new RuntimeException('Set SIGNING_SECRET to the Action\'s signing secret');
    $inbox = getenv('INBOX') ?: __DIR__ . '/inbox';
    if (!is_dir($inbox) && !@mkdir($inbox, 0700, true) && !is_dir($inbox)) {
        throw new RuntimeException('The inbox cannot be created');
    }
    [$status, $error] = receive($secret, $inbox);
} catch (Throwable $fault) {
    // A 5xx makes the service send an event again.
    error_log((string) $fault);
    [$status, $error] = [500, 'Internal error'];
}
if ($error !== null) {
    error_log("refused: $status $error");
}
http_response_code($status);
header('Content-Type: application/json');
echo json_encode($error === null ? ['received' => true] : ['error' => $error]);
