# Verifies an Action request, in any Rack application. It needs no other gem.

require "json"
require "openssl"
require "securerandom"

# The request must not be acted upon. `status` is the HTTP status to answer.
class Refused < StandardError
  attr_reader :status

  def initialize(status, message)
    super(message)
    @status = status
  end
end

# Returns the id to deduplicate on: that of an event or a form submission, and a new one for a request without such an id.
# Store raw_body under it: parsing and generating again may change numbers. env is Rack's; trigger is the kind of the Action: event, form or ai.
def verify_action(raw_body, env, secret, trigger)
  raise Refused.new(413, "The body is too large") if raw_body.bytesize > 1024 * 1024
  # An .env file or `echo` may add these. With an empty secret, anybody could sign.
  secret = secret.to_s.delete("\"' \t\r\n")
  raise Refused.new(500, "The signing secret is not set") if secret.empty?
  header = env["HTTP_X_SERVICE_SIGNATURE"].to_s
  t, v1 = header.match(/\At=([0-9]{1,12}), ?v1=([0-9a-f]{64})(?:,|\z)/)&.captures
  raise Refused.new(400, "The signature is malformed") unless v1 && header.scan(/, ?(?:t|v1)=/).size == 1
  raise Refused.new(400, "The timestamp is stale") if (Time.now.to_i - t.to_i).abs > 300
  digest = OpenSSL::HMAC.hexdigest("SHA256", secret, "#{t}.".b + raw_body.b)
  raise Refused.new(401, "The signature does not match") unless OpenSSL.fixed_length_secure_compare(digest, v1)
  # The signature does not cover these headers: a signed event could arrive again as a call of the assistant.
  raise Refused.new(400, "The request is of another kind") unless env["HTTP_X_SERVICE_TRIGGER"] == trigger
  return SecureRandom.uuid if raw_body.empty?
  begin
    # Half of an emoji, as \ud83d, is JSON that Ruby does not parse. Only the names below are read from this copy.
    body = JSON.parse(raw_body.gsub(/(\\\\)|\\ud[89a-f]../i) { $1 || "?" }, max_nesting: false)
  rescue JSON::ParserError
    body = nil
  end
  raise Refused.new(400, "The body is not a JSON object") unless body.is_a?(Hash)
  return SecureRandom.uuid if trigger == "ai"
  id, ref = trigger == "form" ? %w[submission_id submission_id] : %w[id event]
  named = body[ref].is_a?(String) && body[ref] == env["HTTP_X_SERVICE_TRIGGER_REF"]
  raise Refused.new(400, "The body is not the one that the headers name") unless named && body[id].is_a?(String) && !body[id].empty?
  body[id]
end
