/**
 * The size up to which a config is read, in bytes. What GitHub hands out of a file by a query is a little more, so that a beginning is
 * too large where the whole file is.
 */
export const MAX_CONFIG_BYTES = 500_000
