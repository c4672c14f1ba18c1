// Says that a request names a scorer that is not there [V2].

export const NO_SCORER = "There is no such scorer, or it does not load: see GET /v1/scorers"
