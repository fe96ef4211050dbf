-- Ends an attempt whose lease has run out. ARGV: match, limits.
-- Answers 'queued', 'dead', 'void', or 'alive'.
local k = match_keys()
local lease = redis.call('ZSCORE', k.leases, ARGV[1])
local now = now_ms()
if not lease or tonumber(lease) > now then
  return 'alive'
end
return void_attempt(k, ARGV[1], 'lease', now, limits_at(2), true)
