// Lists the numbers in src that limit nothing from outside, and why: `FILE NAME` of each matches a pattern here.

export const NOT_LIMITS: readonly (readonly [constants: RegExp, why: string])[] = [
  [
    /^(core\/run\/said\/said\.ts UP|core\/score\/sample\.ts DIGITS|core\/score\/judge-request\.ts MAX_CALL_RESULT|core\/run\/budget\/judge-most\.ts (JUDGE_TURNS|PROMPT_BYTES)|core\/run\/rounds\/rounds\.ts JUDGE|engine\/catalog\/score\/known-scorers\.ts VERSION_DIGITS|engine\/catalog\/score\/pin-judge\.ts MAX_TURNS|cloudflare\/tenant\/quality\/(judges\.ts (TURNS|PROMPT_BYTES)|scorings\.ts JUDGE_MS))$/,
    "when a thumb is up, digits of a draw and of a version, what a judge is shown of a call, what its run has of its own [V15], and its place among the runs of a pass",
  ],
  [
    /^(cloudflare\/tenant\/quality\/experiments\/(trials\.ts ((START|SCORES|CANCEL|POLL)_MS|CHILDREN)|trial-questions\.ts MONEY_MS|experiment-drive\.ts TAKEN_MS)|cloudflare\/authoring\/(experiment-variants\.ts LOOKED|row-plan\.ts CHILDREN)|http\/quality\/experiment-answers\.ts ROWS_SIZE)$/,
    "when a trial is looked at next, what a check looks at, and what one call carries of rows that are bounded each [V29]",
  ],
  [/ (DAY|HOUR|WEEK|MINUTE|DAY_MS|HOUR_MS|MINUTE_MS|FIVE_MINUTES|DAY_HOURS|WEEK_HOURS|DAY_MINUTES)$/, "a unit"],
  [
    / (DEFAULT_\w+|ID_LENGTH|MARK_LENGTH|RANDOM|IV_BYTES|EVENT_VERSION|SESSION_BYTES)$/,
    "a default within a bound, or the length of something that this build makes",
  ],
  [
    / (SHOWN|SHOWN_\w+|EXCERPT|INLINE|COMPACT|SUMMARY|CONTEXT|SAMPLE|SHORT_LIST|BEGINNING|COMPARISONS)$/,
    "how much of a text a person or a model is shown; the whole is elsewhere",
  ],
  [
    / (PAGE|BATCH|AT_ONCE|READ_AT_ONCE|ROWS_AT_ONCE|CHILDREN_AT_ONCE|RUNS|BODIES|SWEPT|PRUNE_EVERY|CHUNK|PIECE|SNAPSHOT_EVERY|SNAPSHOT_COMMITS|GROUP|FIRST_LOOK|REPLIES|KEPT_TURNS|APART|IDS_APART|DEPTH|BREATH|TURN_CHARS|TURN_PARTS|SLICE|SLICE_MS|SLICE_WORK|SLICE_STEPS|LOOK)$/,
    "the size of a batch; the rest follows",
  ],
  [
    / ((FIRST|SLOWEST)_(TRY_MS|LOOK|PAUSE)|RETRY_MS|RETRY_START_MS|BASE_MS|LOOK_MS|ATTENDED_LOOK_MS|EVERY_MS|USED_EVERY_MS|HEARTBEAT_MS|WATCHDOG_MS|SLACK_MS|PAUSE_MS|FULL_MS|WAIT_MS|LOADED|FAILED|ONE_WAIT|BUSY_PAUSE|RACE_PAUSE|LOOK_PAUSE|REPORT_MS|IDLE_MS|KEY_MS)$/,
    "the time of the next action",
  ],
  [
    / (SAVING_MS|SETTLED_MS|STARTING_MS|OPENING_MS|SEEN_MS|UNREPORTED_MS|YOUNG_MS|UNSTORED_MS|LOST_MS|GRACE|GRACE_MS|GRAVE_MS|SKEW_MS|AHEAD_MS|LEAST_AHEAD|CACHED_MS|FRESH_MS|KV_SECONDS|KEEP_ALIVE_MS|ANSWER_STORED_MS|GOODBYE|NO_LIMIT|PATIENCE_MS|LINK_MS|TESTED_MS|TRIAL_MS|LEARNED_MS|WINDOW_MS|SHARE)$/,
    "how long a state of this build lasts, or extra time on top of a bound",
  ],
  [
    / (MIN_\w+|LEAST_OUTPUT|EARLIEST|NEAR|K|CHARS_PER_TOKEN|TOKENS_PER_BYTE|PER_MESSAGE|PER_TOOL|PER_REQUEST|PER_IMAGE|UNCERTAIN|LABEL_BYTES|MOST_TOKENS|PAGE_TOKENS|PAGE_BYTES|CHARS_IN_ONE|NAMES_IN_ONE|MANY_CALLS_CHARS|FEW_STEPS|GAP_MS|LONG_MS|FAR|STEP|TRAILER|LEAST_IN_ONE|LEAST_SHOWN|SATURATION|LENGTH_LOSS|NAME_WEIGHT|USUAL_FOUND|ALMOST)$/,
    "a factor of a computation, or its smallest value",
  ],
  [
    /^(core\/run\/usage\/(histogram\.ts (PER_DOUBLING|PER_BAR|SHORTEST)|sum\.ts ANSWERED_FACTOR|usual\.ts AMOUNT|tally\.ts TOO_MANY)|http\/insight\/measured-range\.ts MOST_BY_HOUR)$/,
    "what a bucket of a histogram is, what is usual, a status of a provider, and a default",
  ],
  [
    / (SAMPLED|END|NOTHING|PERCENT|BACKSLASH|U|ASCII|LAST|NORMAL|OVER|GONE|BEYOND|REVOKED|FAULT|LATER|BLOCK|NAME_BYTES|MAX_BITS|SLASH|LETTER_S|NODE_CHARS|HEAD_CHARS|FEED|NO_REVISION|FORMAT)$/,
    "a number of a format or a protocol",
  ],
  [
    / (SLICE_MS|SLICE_WORK|FORGET_MS|LATE_MS|MOST_LATE|PARSED|UNPACKED|OPERATION_WORK|STREAM_WORK|PIECE_WORK|PIECE_LINES|LINE_WORK|PIECE_CHARS|EVENT_WORK|BYTE_WORK|LARGE|LARGE_CHARS|READ_WORK|TOKEN_WORK|MEMBER_WORK|CUT_WORK|DRAWN|HASHED|TAKEN|SHARED|MEMBERS|TOKENS)$/,
    "how much is computed before others have a turn [N4]",
  ],
  [
    /^(engine\/backtest\/backtest-run\.ts (WAITS|DECISION_WORK)|engine\/backtest\/live\.ts MAX_TURNS|cloudflare\/authoring\/(backtests\.ts LOST_MS|backtest-work\.ts CHILDREN|backtest-live\.ts (TURN_MS|CALL_MS))|cloudflare\/tenant\/tests\/backtest-store\.ts (MAX_BACKTESTS|KEPT_MS))$/,
    "how far a backtest follows a run (later turns count as diverged), and how long its result is kept",
  ],
  [
    /^cloudflare\/tenant\/tests\/test-result-store\.ts MAX_\w+$/,
    "how many results of tests are kept, and how much of one; the run has the rest",
  ],
  [
    /^(cloudflare\/clients\/cache\/model-pacing\.ts (MOST_PROVIDERS|FIRST_LOOK_MS|UNTOLD_MS)|cloudflare\/tenant\/settings\/tenant-pacer\.ts KEPT_MS|core\/run\/session\/paced\.ts SILENT_MS|engine\/run\/call\/paced-call\.ts TOLD_MS)$/,
    "when a waiting call looks for its turn and when its wait is told, and what may be forgotten",
  ],
  [
    /^core\/pacing\/(allowance\.ts (BETWEEN_MS|GONE_MS)|rank\.ts LOOKED_MS|call-cost\.ts (BYTES_A_TOKEN|FIRST_GUESS)|gauge\.ts (BURST|ALLOWANCE_MS)|learned\.ts (SLOW_MS|LEAST_USED|REST_MS)|pacer\.ts (LEAST_WAIT_MS|SLEEPS_MS)|rate-headers\.ts (MOST|LONGEST_MS)|turns\.ts FIFTH)$/,
    "how a provider's limit is read and shared: what waits for it leaves later [R25-R28]",
  ],
  [/^core\/language\/parse-flow\.ts LEAST_NAME$/, "the shortest name that a hint is given for"],
  [/^cloudflare\/run\/run-start\.ts LEAST_WAIT_MS$/, "after which wait a start reads the rules anew"],
  [/^core\/start\/line\.ts (MOST_THINGS|OLDEST_EVERY)$/, "which starts of the line a look reads first"],
  [
    /^cloudflare\/tenant\/starts\/rings\.ts (ROUNDS|LEAST_MS|MOST_MS)$/,
    "how often a waiting child is looked at for a ring, and how deep a search asks",
  ],
  [/^cloudflare\/tenant\/starts\/line-looks\.ts (AGAIN_MS|THINGS)$/, "when a word that was not heard is said again, and what a look opens"],
  [/^core\/run\/event-version\.ts KERNEL$/, "a version of this build"],
  [/^engine\/run\/compact\.ts SUMMARY_TOKENS$/, "the same number as in core/run/budget/worst-case.ts"],
  [
    /^engine\/run\/call\/turn-digests\.ts (KEPT_PROMPTS|KEPT_REQUESTS|MAX_CHARS|MAX_KEPT_CHARS)$/,
    "digests that are cached briefly; a missing one is computed again",
  ],
  [
    /^(ports\/short-pieces\.ts (MOST|MOST_MS)|engine\/run\/conduct\/shared-turn\.ts TOGETHER|cloudflare\/run\/awake-run\.ts TOOL_PIECES)$/,
    "how many short pieces of work are done before others have a turn [N4]",
  ],
  [/^core\/tool\/method-override\.ts MOST_DECODED$/, "how often a name is decoded; what is encoded more often is no name to any server"],
  [/^models\/reply\/patience\.ts LOOKS$/, "how often a silence is looked for in the time that it may last"],
  [/^core\/outside\/json-meter\.ts AROUND$/, "levels of a message around what a server says"],
  [/^engine\/import\/gzip\.ts WORK$/, "the work of unpacking a byte"],
  [/^cloudflare\/sandbox\/sandbox-loader\.ts MOST_READ$/, "levels that are read to report that there are too many"],
  [
    /^(cloudflare\/memory\/memory-sql\.ts (CHARS_AT_ONCE|CHAR_WORK)|ports\/breath\.ts STORED_AT_ONCE|tools\/shell\/bash-changes\.ts (FILE_STEPS|BYTES_PER_STEP))$/,
    "how much is stored at a time, and what that counts for",
  ],
  [
    /^cloudflare\/tenant\/bulk\/bulks\.ts (CALLED_MS|REST|LONGEST_REST_MS)$/,
    "the pace of a bulk while others start runs; the rest follows",
  ],
  [/^core\/experiment\/results\.ts (FEW_UNITS|MOST_LEFT_OUT|MOST_UNEVEN)$/, "what a result is flagged for [V36, V37]"],
  [/^core\/statistics\/\w+\.ts (LEAST_UNITS|WARM_UP|WORDS|MOST_WITHOUT|RESAMPLES|POWER)$/, "a number of the method [V37, V41]"],
  [/^core\/score\/(probe|trust)\.ts [A-Z_]+$/, "a number of the method [V10, V22]"],
  [/^http\/quality\/judge-answers\.ts (MOST|LOOK)$/, "how many runs a probe takes by default, and rows that are looked at for them"],
  [/^(core\/score\/sample\.ts DIGITS|http\/quality\/dataset-runs\.ts IDS)$/, "the length of something that this build makes"],
  [/^core\/outside\/json-pieces\.ts SMALL$/, "how much is parsed in one step; the rest is parsed in pieces"],
  [
    /^cloudflare\/clients\/(session-rows\.ts LEAST_S|cache\/sign-in-cache\.ts MAX_HOLDERS)$/,
    "what KV and an isolate cache; the object has the rest",
  ],
  [/^core\/secrets\/beginning\.ts MOST_BEYOND$/, "how much beyond a beginning is read; what is shown is bounded by itself"],
  [/^(models\/reply\/failure\.ts MAX_JSON|ports\/outside\.ts HEAD)$/, "how much of a body is read to detect its type"],
  [/^core\/text\/punycode\.ts BASE$/, "of RFC 3492"],
  [/^engine\/code\/meter-name\.ts AWAIT_STEPS$/, "the cost of an await, in steps of a handler"],
  [/^cloudflare\/sandbox\/sandbox-harness\.ts MAX_HEADER$/, "what fits in a header; a longer call or answer is a body"],
  [/^core\/secrets\/first-look\.ts (AGREES|MOST_LETTERS)$/, "how much text the first look compares before the full scan takes over"],
  [/^core\/run\/protocol\/text-pieces\.ts (BY_WORDS|LONG_PIECE|REACH|ANSWER_PIECE)$/, "where a text is divided, which loses nothing"],
  [/^protocols\/a2a\/operations\.ts (ONE_WAIT_MS|SETTLE_LOOKS|SETTLE_PAUSE)$/, "how often a run is looked at that is about to go on"],
  [/^protocols\/a2a\/card\.ts VERSION_CHARS$/, "how much of a hash is shown"],
  [/^protocols\/a2a\/fault\.ts (OTHER_CODE|INTERNAL_CODE)$/, "codes of JSON-RPC"],
  [/^protocols\/a2a\/task\.ts MAX_\w+$/, "how much of the files an answer holds; the rest is at its address"],
  [/^protocols\/chat\/models\.ts CREATED$/, "a date of this build"],
  [/^engine\/run\/open-questions.ts LOOKS$/, "how often a run is looked at that is about to hear of an answer"],
  [/^protocols\/\S+ (BREAKS|RACES|CLAIM_LOOKS|BUSY_LOOKS)$/, "how often a look is repeated before the message is refused"],
  [
    /^cloudflare\/tenant\/sessions\/session-store\.ts MOST_DONE$/,
    "how many claims that have ended are remembered; the end of the run ends the rest",
  ],
  [/^cloudflare\/desks\/(desk\.ts MAX_(PINS|KEYS)|known-desks\.ts MAX_TENANTS)$/, "how much a cache keeps; the rest is asked for again"],
  [/^cloudflare\/desks\/desk-leases\.ts (STARTS_PER_DESK|MAX_DESKS)$/, "how many desks share the work"],
  [/^cloudflare\/tenant\/given-answers\.ts AGAIN_MS$/, "how often the time of a known answer is rewritten"],
  [
    /^cloudflare\/tenant\/run-list\/run-list-room\.ts OPEN_LOOKS$/,
    "runs whose report is waited for before a history counts as text from outside",
  ],
  [/^cloudflare\/tenant\/sessions\/thread-store\.ts KEPT_MS$/, "how long a claim bridges a run that has not reported"],
  [/^cloudflare\/tenant\/tenant-object\.ts PROBE_BYTES$/, "the size of a test write that checks the disk for room"],
  [/^cloudflare\/tenant\/tenant-alarm\.ts BACK_MS$/, "by how much a clock is corrected without being set back"],
  [/^cloudflare\/tenant\/budget\/budget-store\.ts JITTER$/, "a factor of a computation"],
  [/^cloudflare\/tenant\/run-list\/run-filter\.ts APART_MS$/, "how far apart two clocks are at most"],
  [/^cloudflare\/tenant\/keys\/key-watch\.ts AGAIN_MS$/, "when a call that failed is made again"],
  [/^ports\/tenant\/authoring\/repairs\.ts SCORE_MS$/, "after which silence a judge is asked again"],
  [/^tools\/\S+ TIMEOUT$/, "the timeout of one tool, within that of all tools (engine/run/execute-tool.ts)"],
]
