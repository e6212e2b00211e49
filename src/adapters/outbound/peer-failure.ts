import { errorCode, Failure, suffix } from './attempt.ts';

const CERTIFICATE_PROBLEMS: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED: 'has expired',
  CERT_NOT_YET_VALID: 'is not valid yet',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'is self-signed',
  SELF_SIGNED_CERT_IN_CHAIN: 'leads to a certificate authority that is not publicly trusted',
  UNABLE_TO_GET_ISSUER_CERT: 'leads to a certificate authority that is not publicly trusted',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'leads to no publicly trusted certificate authority (is an intermediate missing?)',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'leads to no publicly trusted certificate authority (is an intermediate missing?)',
  ERR_TLS_CERT_ALTNAME_INVALID: 'is for another host name',
  INVALID_PURPOSE: 'is not for a TLS server, or one above it is not of an authority',
};

const NO_COMMON_CIPHER =
  'it accepts no cipher suite that the service offers (TLS 1.3, or TLS 1.2 with ECDHE), or has no certificate for this name';
const CLIENT_CERTIFICATE =
  'it requires a client certificate, which the service does not have: require none for this path, and verify the signature of the request';
const FAULT = 'its TLS has a fault, or something on the way changes the bytes';
const UPDATE = 'update its TLS, or what terminates TLS before it';
const REFUSED_OFFER = `it does not understand what the service offers: ${UPDATE}`;

/** The alerts with which a server ends TLS (RFC 8446, 6.2, and those of older versions), with what to do about each. */
export const TLS_ALERTS: ReadonlyMap<number, readonly [name: string, words: string]> = new Map([
  [10, ['unexpected_message', FAULT]],
  [20, ['bad_record_mac', FAULT]],
  [21, ['decryption_failed', FAULT]],
  [22, ['record_overflow', FAULT]],
  [30, ['decompression_failure', FAULT]],
  [40, ['handshake_failure', NO_COMMON_CIPHER]],
  [41, ['no_certificate', CLIENT_CERTIFICATE]],
  [42, ['bad_certificate', CLIENT_CERTIFICATE]],
  [43, ['unsupported_certificate', CLIENT_CERTIFICATE]],
  [44, ['certificate_revoked', CLIENT_CERTIFICATE]],
  [45, ['certificate_expired', CLIENT_CERTIFICATE]],
  [46, ['certificate_unknown', CLIENT_CERTIFICATE]],
  [47, ['illegal_parameter', REFUSED_OFFER]],
  [48, ['unknown_ca', CLIENT_CERTIFICATE]],
  [49, ['access_denied', 'it refuses the service: check its access rules']],
  [50, ['decode_error', FAULT]],
  [51, ['decrypt_error', FAULT]],
  [60, ['export_restriction', NO_COMMON_CIPHER]],
  [70, ['protocol_version', 'it speaks neither TLS 1.2 nor TLS 1.3']],
  [71, ['insufficient_security', NO_COMMON_CIPHER]],
  [80, ['internal_error', 'it failed itself: look in its log']],
  [86, ['inappropriate_fallback', REFUSED_OFFER]],
  [90, ['user_canceled', 'it gave up: look in its log']],
  [100, ['no_renegotiation', REFUSED_OFFER]],
  [109, ['missing_extension', REFUSED_OFFER]],
  [110, ['unsupported_extension', REFUSED_OFFER]],
  [111, ['certificate_unobtainable', CLIENT_CERTIFICATE]],
  [112, ['unrecognized_name', 'it does not know this host name: add the name to its configuration']],
  [113, ['bad_certificate_status_response', FAULT]],
  [114, ['bad_certificate_hash_value', FAULT]],
  [115, ['unknown_psk_identity', FAULT]],
  [116, ['certificate_required', CLIENT_CERTIFICATE]],
  [120, ['no_application_protocol', 'it does not offer HTTP/1.1 (ALPN http/1.1)']],
]);

const TLS_PROBLEMS: Readonly<Record<string, string>> = {
  ERR_SSL_WRONG_VERSION_NUMBER: 'did not answer in TLS: check that HTTPS is spoken on this port',
  ERR_SSL_PACKET_LENGTH_TOO_LONG: 'did not answer in TLS: check that HTTPS is spoken on this port',
  ERR_SSL_UNSUPPORTED_PROTOCOL: 'speaks neither TLS 1.2 nor TLS 1.3',
  ERR_SSL_UNSAFE_LEGACY_RENEGOTIATION_DISABLED: `does not support secure renegotiation (RFC 5746): ${UPDATE}`,
};

/** Returns the message of an error. That of OpenSSL has no text of the peer. */
const messageOf = (error: unknown) =>
  typeof error === 'object' && error !== null && 'message' in error ? String(error.message) : '';

/** Returns the number of the alert that OpenSSL received. Its codes have no common form. */
function alertOf(error: unknown): number | undefined {
  const number = /SSL alert number (\d{1,3})/.exec(messageOf(error))?.[1];
  return number === undefined ? undefined : Number(number);
}

/** Returns the failure of a TLS handshake. @param isCertificateAsked whether the server has asked for a client certificate */
export function tlsFailure(error: unknown, host: string, isCertificateAsked: boolean): Failure {
  if (error instanceof Failure) return error;
  const code = errorCode(error);
  // Node has no code for some problems of a certificate, but the words of OpenSSL.
  const problem = code === 'UNSPECIFIED' ? `is refused: ${messageOf(error)}` : CERTIFICATE_PROBLEMS[code];
  if (problem !== undefined) return new Failure('tls_failure', `The certificate of ${host} ${problem}`);
  const alert = alertOf(error);
  if (alert !== undefined) {
    const [name, words] = TLS_ALERTS.get(alert) ?? [String(alert), FAULT];
    // Before TLS 1.3 there is no alert of its own for a certificate that is missing.
    const why = isCertificateAsked && words === NO_COMMON_CIPHER ? CLIENT_CERTIFICATE : words;
    return new Failure('tls_failure', `${host} ended TLS with the alert ${name}: ${why}`);
  }
  if (code === 'ECONNRESET' || code === 'EPIPE') {
    const why = isCertificateAsked
      ? ` after it had asked for a client certificate. Probably ${CLIENT_CERTIFICATE}`
      : ' during TLS';
    return new Failure('tls_failure', `${host} closed the connection${why}`);
  }
  return new Failure('tls_failure', `${host} ${TLS_PROBLEMS[code] ?? `could not negotiate TLS${suffix(code)}`}`);
}

/**
 * Returns the failure of an HTTP exchange.
 * @param error that occurred before the status was received
 * @param isCertificateAsked whether the server has asked for a client certificate, and has sent nothing since: in TLS 1.3 it refuses only after the handshake
 */
export function exchangeFailure(error: unknown, host: string, isCertificateAsked: boolean): Failure {
  if (error instanceof Failure) return error;
  const code = errorCode(error);
  if (code === 'HPE_HEADER_OVERFLOW') return new Failure('response_malformed', `${host} sent too many header bytes`);
  if (code.startsWith('HPE_')) {
    return new Failure('response_malformed', `${host} did not respond in HTTP/1.1${suffix(code)}`);
  }
  if (alertOf(error) !== undefined) return tlsFailure(error, host, isCertificateAsked);
  if (isCertificateAsked) return tlsFailure({ code: 'ECONNRESET' }, host, isCertificateAsked);
  return new Failure('connection_closed', `${host} closed the connection without a response${suffix(code)}`);
}
