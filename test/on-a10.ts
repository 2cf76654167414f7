/** Settings that name a GPU: nothing blocks on one that is assumed. */
export const onA10 = { '.github/memorymark.yml': 'gpu: a10\n' }
