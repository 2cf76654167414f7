import { readBands } from '../engine/estimate/bands.ts'

const { lowPercent, highPercent } = readBands['full training on one GPU']

/** The band of a plain full training on one GPU, as pages and comments show it. */
export const bandInWords = `−${-lowPercent}…+${highPercent} %`
