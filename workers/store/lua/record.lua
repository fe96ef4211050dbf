-- Records a match: log entry, ratings, match and tournament in one step.
-- KEYS: those of the match, log, head, the tournament's log, rated, then one rating a change, then
-- one bot's log a change.
-- ARGV: match, fence, digest, head it was computed on, number and text of the entry, its hash,
-- changes as JSON, as add_changes has them.
-- Answers recorded, dup, conflict, stale, moved (compute again on the new head), unknown.
local k = match_keys()
local log, head, own_log, rated = KEYS[9], KEYS[10], KEYS[11], KEYS[12]
local id, fence, digest = ARGV[1], ARGV[2], ARGV[3]
local match = redis.call('HMGET', k.match, 'state', 'fence', 'digest')
if not match[1] then
  return 'unknown'
elseif match[1] == 'done' and match[3] == digest then
  return 'dup'
elseif match[2] ~= fence then
  return 'stale'
elseif match[1] == 'done' then
  return 'conflict'
elseif match[1] ~= 'sealed' then
  return 'stale'
elseif (redis.call('HGET', head, 'hash') or '') ~= ARGV[4] then
  return 'moved'
end
local now = now_ms()
append(log, head, own_log, ARGV[5], ARGV[6], ARGV[7])
add_changes(cjson.decode(ARGV[8]), rated, 13, ARGV[5])
redis.call('HSET', k.match, 'state', 'done', 'digest', digest, 'seq', ARGV[5], 'done_ms', now)
redis.call('ZREM', k.sealed, id)
settle(k, 'recorded', now)
return 'recorded'
