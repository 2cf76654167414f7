/** Ultralytics. Source: cfg/default.yaml. */
import { smallerSide } from '../reduced.ts'
import { one, type Tool } from './tool.ts'

/** The accumulation follows from the batch: Ultralytics accumulates up to `nbs`, 64 images, without being told. */
const NOMINAL_BATCH = 64

export const ultralytics: Tool = {
  'micro-batch': ({ plan }) => {
    const images = plan.microBatch * plan.gradientAccumulation
    return [...one('batch', plan.microBatch), ...(images > NOMINAL_BATCH ? one('nbs', images) : [])]
  },
  'fp16-autocast': () => one('amp', true),
  'smaller-images': ({ spec }) => one('imgsz', smallerSide(spec)),
}
