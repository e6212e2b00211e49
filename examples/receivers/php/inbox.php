<?php

declare(strict_types=1);

/** Returns a name from the id that makes the request unique: an event's id or a form's submission id. Null when it is malformed. */
function file_name(string $rawBody, ?string $trigger, ?string $triggerRef): ?string
{
    if (!in_array($trigger, ['event', 'ai', 'form'], true)) {
        return null;
    }
    $body = null;
    if ($rawBody !== '') {
        $body = json_decode($rawBody);
        if (!$body instanceof stdClass) {
            return null;
        }
    }
    // Each call of the assistant is separate, and so is each event that is sent with GET and has no body.
    $id = bin2hex(random_bytes(16));
    if ($trigger === 'form') {
        $id = $body === null ? $triggerRef : $body->submission_id ?? null;
    } elseif ($trigger === 'event' && $body !== null) {
        $id = $body->id ?? null;
    }
    return is_string($id) && preg_match('/\A[A-Za-z0-9-]{1,64}\z/', $id) ? "$trigger-$id.json" : null;
}

/**
 * Returns when the bytes are on the disk. Writes nothing when the name exists, because the request is then a repeat.
 * In production, use a table with a unique key.
 */
function store_once(string $directory, string $name, string $content): void
{
    $temporary = tempnam($directory, '.receiving-');
    try {
        $file = fopen($temporary, 'wb');
        if ($file === false || fwrite($file, $content) !== strlen($content) || !fsync($file) || !fclose($file)) {
            throw new RuntimeException('The inbox cannot be written');
        }
        // link fails when the name exists, so two concurrent requests create one file.
        if (!@link($temporary, "$directory/$name") && !is_file("$directory/$name")) {
            throw new RuntimeException('The inbox cannot be written');
        }
    } finally {
        unlink($temporary);
    }
}
