<?php

declare(strict_types=1);

/** What makes the request unique: an event's id, a form's submission id. Null when the request is malformed. */
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
    // Each call of the assistant stands for itself; so does an event by GET, which has no body.
    $id = bin2hex(random_bytes(16));
    if ($trigger === 'form') {
        $id = $body === null ? $triggerRef : $body->submission_id ?? null;
    } elseif ($trigger === 'event' && $body !== null) {
        $id = $body->id ?? null;
    }
    return is_string($id) && preg_match('/\A[A-Za-z0-9-]{1,64}\z/', $id) ? "$trigger-$id.json" : null;
}

/**
 * Returns once the bytes are on the disk. A name that is there already is a repeat: nothing is written.
 * In production: a table with a unique key.
 */
function store_once(string $directory, string $name, string $content): void
{
    $temporary = tempnam($directory, '.receiving-');
    try {
        $file = fopen($temporary, 'wb');
        if ($file === false || fwrite($file, $content) !== strlen($content) || !fsync($file) || !fclose($file)) {
            throw new RuntimeException('The inbox cannot be written');
        }
        // Fails when the name exists, whoever made it: two requests at the same moment leave one file.
        if (!@link($temporary, "$directory/$name") && !is_file("$directory/$name")) {
            throw new RuntimeException('The inbox cannot be written');
        }
    } finally {
        unlink($temporary);
    }
}
