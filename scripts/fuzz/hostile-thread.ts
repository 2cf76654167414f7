/** A thread that tries its share of the hostile strings, and says at the end what it found. */
import { parentPort, workerData } from 'node:worker_threads'
import { hostileShare, tryHostileStrings } from './hostile.ts'

parentPort?.postMessage(await tryHostileStrings(hostileShare.parse(workerData)))
