-- Submissions whose message or claim is over; from now on their message counts as sent again.
-- KEYS: open. ARGV: milliseconds after which that counts as lost, most at once. Answers their ids.
local now = now_ms()
local due = redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', now, 'LIMIT', 0, ARGV[2])
for _, id in ipairs(due) do
  redis.call('ZADD', KEYS[1], now + ARGV[1], id)
end
return due
