/** What becomes of a delivery. */
export type Answer = 'accepted' | 'repeated' | 'not-ours' | 'refused' | 'unavailable'
