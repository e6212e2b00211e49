package actions;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.time.Instant;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** Verifies an Action request, in any framework. It needs Jackson's jackson-core 2.15 or newer. */
final class ActionVerifier {
  /** The request must not be acted upon. `status` is the HTTP status to answer. */
  static final class Refused extends RuntimeException {
    final int status;

    Refused(int status, String message) {
      super(message);
      this.status = status;
    }
  }

  private static final Pattern SIGNATURE = Pattern.compile("^t=([0-9]{1,12}), ?v1=([0-9a-f]{64})(?:,|$)");
  private static final Pattern NEXT_PART = Pattern.compile(", ?(?:t|v1)=");
  /** No number is read, so each may have any length. */
  private static final JsonFactory JSON = JsonFactory.builder()
      .streamReadConstraints(StreamReadConstraints.builder().maxNumberLength(Integer.MAX_VALUE).build())
      .build();

  /**
   * Returns the id to deduplicate on: that of an event or a form submission, and a new one for a request without such an id.
   * Store rawBody under it: parsing and writing again may change numbers.
   *
   * @param header returns the value of a header, or null
   * @param trigger the kind of the Action: event, form or ai
   * @throws Refused
   */
  static String verify(byte[] rawBody, UnaryOperator<String> header, String secret, String trigger) {
    if (rawBody.length > 1024 * 1024) throw new Refused(413, "The body is too large");
    // An .env file or `echo` may add these. With an empty secret, anybody could sign.
    String key = secret == null ? "" : secret.replaceAll("[\"'\\s]", "");
    if (key.isEmpty()) throw new Refused(500, "The signing secret is not set");
    String written = Objects.requireNonNullElse(header.apply("X-Service-Signature"), "");
    var signature = SIGNATURE.matcher(written);
    if (!signature.find() || NEXT_PART.matcher(written).results().count() > 1)
      throw new Refused(400, "The signature is malformed");
    String t = signature.group(1);
    if (Math.abs(Instant.now().getEpochSecond() - Long.parseLong(t)) > 300) throw new Refused(400, "The timestamp is stale");
    if (!MessageDigest.isEqual(digestOf(t, rawBody, key), HexFormat.of().parseHex(signature.group(2))))
      throw new Refused(401, "The signature does not match");
    // The signature does not cover these headers: a signed event could arrive again as a call of the assistant.
    if (!trigger.equals(header.apply("X-Service-Trigger"))) throw new Refused(400, "The request is of another kind");
    String newId = UUID.randomUUID().toString();
    if (rawBody.length == 0) return newId;
    Map<String, String> texts = textsOf(rawBody);
    if (trigger.equals("ai")) return newId;
    String id = texts.get(trigger.equals("form") ? "submission_id" : "id");
    String ref = texts.get(trigger.equals("form") ? "submission_id" : "event");
    if (id == null || id.isEmpty() || ref == null || !ref.equals(header.apply("X-Service-Trigger-Ref")))
      throw new Refused(400, "The body is not the one that the headers name");
    return id;
  }

  private static byte[] digestOf(String t, byte[] rawBody, String key) {
    try {
      Mac mac = Mac.getInstance("HmacSHA256");
      mac.init(new SecretKeySpec(key.getBytes(StandardCharsets.UTF_8), "HmacSHA256"));
      mac.update((t + ".").getBytes(StandardCharsets.UTF_8));
      return mac.doFinal(rawBody);
    } catch (GeneralSecurityException impossible) {
      throw new IllegalStateException(impossible);
    }
  }

  /** Returns the texts of a JSON object. */
  private static Map<String, String> textsOf(byte[] rawBody) {
    Map<String, String> texts = new HashMap<>();
    try (JsonParser parser = JSON.createParser(rawBody)) {
      if (parser.nextToken() != JsonToken.START_OBJECT) throw new Refused(400, "The body is not a JSON object");
      while (parser.nextToken() == JsonToken.FIELD_NAME) {
        String name = parser.currentName();
        texts.put(name, parser.nextToken() == JsonToken.VALUE_STRING ? parser.getText() : null);
        parser.skipChildren();
      }
      if (parser.nextToken() == null) return texts;
    } catch (IOException malformed) {
      // Refused below.
    }
    throw new Refused(400, "The body is not a JSON object");
  }
}
