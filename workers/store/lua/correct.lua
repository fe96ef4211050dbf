-- Makes a recorded match void: log entry, ratings, match and tournament in one step.
-- KEYS: those of the match, log, head, the tournament's log, its corrections, rated, then one rating
-- a change, then one bot's log a change.
-- ARGV: head it was computed on, number and text of the entry, its hash, changes as JSON, as
-- add_changes has them.
-- Answers corrected, moved (compute again on the new head), unrecorded (the match is not, or is void).
local k = match_keys()
local seq = ARGV[2]
if redis.call('HGET', k.match, 'state') ~= 'done' then
  return 'unrecorded'
elseif redis.call('HGET', KEYS[10], 'hash') ~= ARGV[1] then
  return 'moved'
end
append(KEYS[9], KEYS[10], KEYS[11], seq, ARGV[3], ARGV[4])
redis.call('RPUSH', KEYS[12], seq)
-- Two entries more that count no match: this one, and the one that it takes back.
redis.call('HINCRBY', KEYS[10], 'notes', 2)
add_changes(cjson.decode(ARGV[5]), KEYS[13], 14, seq)
mark_void(k.match, 'organiser')
redis.call('HSET', k.match, 'correction', seq)
redis.call('HINCRBY', k.tournament, 'recorded', -1)
redis.call('HINCRBY', k.tournament, 'void', 1)
return 'corrected'
