-- Begins an attempt. ARGV: match, lease ms, limits.
-- Answers {'claimed', fence, nonces as JSON or ''}, or {why not}: unknown, busy, early (its
-- back-off runs), paused (its tournament is; it waits for that), sealed, done, dead, void.
local k = match_keys()
local id, lease = ARGV[1], tonumber(ARGV[2])
local now = now_ms()
local state = redis.call('HGET', k.match, 'state')
if not state then
  return { 'unknown' }
elseif state == 'running' then
  if tonumber(redis.call('ZSCORE', k.leases, id)) > now then
    return { 'busy' }
  end
  local after = void_attempt(k, id, 'lease', now, limits_at(3), true)
  if after ~= 'queued' then
    return { after }
  end
elseif state == 'queued' then
  local due = redis.call('ZSCORE', k.due, id)
  if due and tonumber(due) > now then
    return { 'early' }
  end
else
  return { state }
end
if redis.call('HGET', k.tournament, 'state') == 'paused' then
  redis.call('ZREM', k.sent, id)
  redis.call('ZADD', k.due, PARKED, id)
  return { 'paused' }
end
local fence = redis.call('HINCRBY', k.match, 'fence', 1)
redis.call('HSET', k.match, 'state', 'running', 'started_ms', now)
redis.call('ZADD', k.leases, now + lease, id)
redis.call('ZREM', k.sent, id)
redis.call('ZREM', k.due, id)
return { 'claimed', fence, redis.call('HGET', k.match, 'nonces') or '' }
