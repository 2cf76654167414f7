/** Detectors and classifiers that a script trains by Ultralytics. */
import { expect, it } from 'vitest'
import { trained } from '../scripts.ts'

const script = (weights: string, given = '') => `from ultralytics import YOLO
model = YOLO("${weights}")
model.train(data="data.yaml", epochs=3, batch=16${given})
`

it.each([
  ['yolo11n.pt', '', 640],
  ['yolo11n-cls.pt', '', 224],
  ['yolo11n-cls.pt', ', imgsz=64', 64],
])('%s%s has images of its own size', async (weights, given, side) => {
  expect((await trained(script(weights, given))).spec.imageSize).toBe(side)
})
