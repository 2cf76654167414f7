/** Reads an archive as the bot does, in a process of its own, so that the memory it took can be told: zip on stdin, JSON on stdout. */
import { buffer } from 'node:stream/consumers'
import { readReportArchive } from '../../../bot/measurement/archive.ts'
import { IsolatedEngine } from '../../../engine/index.ts'

await using engine = new IsolatedEngine()
const zip = await buffer(process.stdin)
const before = process.resourceUsage().maxRSS
const reading = await readReportArchive(zip, engine)
const grownKib = process.resourceUsage().maxRSS - before
process.stdout.write(JSON.stringify({ reading, grownKib }))
