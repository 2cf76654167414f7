import { describe, expect, test } from 'vitest'
import type { TrainingSpec } from '../../engine/training/spec.ts'
import { footprintOf } from './specs.ts'

/**
 * Peak bytes of Ultralytics' own step, ultralytics 8.4.33 under PyTorch 2.13: its network on the meta device, cast as autocast to
 * float16 casts on CUDA; its loss on the CPU over as many boxes in every image as `objects` says, in the kernels' sizes on CUDA;
 * gradient clipping, AdamW or SGD with its parameter groups, and the moving average. Every storage was followed from allocation to
 * release, in the third step. What cuBLAS and cuDNN take is not in it.
 */
const traced: readonly [model: string, changes: Partial<TrainingSpec>, peakBytes: number][] = [
  ['yolov8n', { imageSize: 640, microBatch: 1, objects: 30 }, 185_043_456],
  ['yolov8n', { imageSize: 640, microBatch: 4, objects: 30 }, 568_136_704],
  ['yolov8n', { imageSize: 640, microBatch: 16, objects: 30 }, 2_100_525_056],
  ['yolov8n', { imageSize: 640, microBatch: 64, objects: 30 }, 8_230_078_464],
  ['yolov8n', { imageSize: 320, microBatch: 16, objects: 30 }, 568_091_648],
  ['yolov8n', { imageSize: 1280, microBatch: 8, objects: 30 }, 4_143_927_808],
  ['yolov8s', { imageSize: 640, microBatch: 16, objects: 30 }, 3_598_430_208],
  ['yolov8m', { imageSize: 640, microBatch: 16, objects: 30 }, 6_160_251_904],
  ['yolov8l', { imageSize: 640, microBatch: 16, objects: 30 }, 9_341_906_432],
  ['yolov8x', { imageSize: 640, microBatch: 16, objects: 30 }, 11_788_977_152],
  ['yolo11n', { imageSize: 640, microBatch: 1, objects: 30 }, 192_231_936],
  ['yolo11n', { imageSize: 640, microBatch: 4, objects: 30 }, 625_129_984],
  ['yolo11n', { imageSize: 640, microBatch: 16, objects: 30 }, 2_356_737_536],
  ['yolo11n', { imageSize: 640, microBatch: 64, objects: 30 }, 9_283_167_744],
  ['yolo11n', { imageSize: 960, microBatch: 8, objects: 30 }, 2_688_631_808],
  ['yolo11s', { imageSize: 640, microBatch: 32, objects: 30 }, 7_975_680_000],
  ['yolo11m', { imageSize: 640, microBatch: 16, objects: 30 }, 8_032_043_520],
  ['yolo11l', { imageSize: 640, microBatch: 16, objects: 30 }, 10_203_748_864],
  ['yolo11x', { imageSize: 640, microBatch: 16, objects: 30 }, 15_378_464_256],
  ['yolo11x', { imageSize: 1280, microBatch: 2, objects: 30 }, 8_479_561_216],
  ['yolov8n', { imageSize: 640, microBatch: 16, objects: 10 }, 2_068_254_720],
  ['yolov8n', { imageSize: 640, microBatch: 16, objects: 100 }, 2_250_623_488],
  ['yolov8n', { imageSize: 640, microBatch: 16, objects: 300 }, 3_111_045_632],
  ['yolo11m', { imageSize: 640, microBatch: 16, objects: 100 }, 8_182_141_952],
  ['yolov8n', { imageSize: 640, microBatch: 16, objects: 30, labels: 1 }, 1_857_076_736],
  ['yolo11m', { imageSize: 640, microBatch: 16, objects: 30, labels: 1 }, 7_815_926_784],
  ['yolov8n', { imageSize: 640, microBatch: 16, objects: 30, labels: 365 }, 3_171_841_536],
  ['yolov8x', { imageSize: 640, microBatch: 1, objects: 30 }, 1_889_367_552],
  ['yolov8x', { imageSize: 640, microBatch: 1, objects: 30, optimizer: 'sgd-momentum' }, 1_616_246_272],
  ['yolov8x', { imageSize: 320, microBatch: 1, objects: 30, gradientAccumulation: 2 }, 1_667_295_232],
  ['yolov8s', { imageSize: 640, microBatch: 16, objects: 30, gradientAccumulation: 2 }, 3_643_107_840],
  ['yolov8s', { imageSize: 640, microBatch: 16, objects: 30, precision: 'fp32' }, 6_459_853_824],
  ['yolo11s', { imageSize: 640, microBatch: 16, objects: 30, precision: 'fp32' }, 7_361_704_960],
  ['yolo11s', { imageSize: 640, microBatch: 16, objects: 30, trainable: from(10) }, 2_082_294_272],
  ['yolov8s', { imageSize: 640, microBatch: 16, objects: 30, trainable: from(10) }, 1_699_438_080],
  ['yolo26n', { imageSize: 640, microBatch: 16, objects: 30 }, 2_753_673_728],
  ['yolo26s', { imageSize: 640, microBatch: 16, objects: 30 }, 4_862_237_184],
  ['yolo26m', { imageSize: 640, microBatch: 16, objects: 30 }, 9_177_231_360],
  ['yolo26x', { imageSize: 640, microBatch: 8, objects: 30 }, 9_031_675_904],
  ['yolo26n', { imageSize: 640, microBatch: 16, objects: 100 }, 2_904_026_624],
  ['yolo26n', { imageSize: 640, microBatch: 1, objects: 30 }, 216_474_624],
  ['yolo26m', { imageSize: 640, microBatch: 16, objects: 30, labels: 1 }, 8_853_856_768],
  ['yolov8n-pose', { imageSize: 640, microBatch: 16, objects: 30, labels: 1 }, 1_972_029_440],
  ['yolo11n-pose', { imageSize: 640, microBatch: 16, objects: 30, labels: 1 }, 2_217_360_896],
  ['yolo11m-pose', { imageSize: 640, microBatch: 16, objects: 30, labels: 1 }, 7_962_172_928],
  ['yolov8s-pose', { imageSize: 640, microBatch: 16, objects: 10, labels: 1 }, 3_415_406_592],
  ['yolo11n-pose', { imageSize: 640, microBatch: 4, objects: 100, labels: 1 }, 669_072_896],
  ['yolov8n-cls', { imageSize: 224, microBatch: 16 }, 156_611_584],
  ['yolov8n-cls', { imageSize: 224, microBatch: 64, labels: 1000 }, 565_533_696],
  ['yolov8x-cls', { imageSize: 224, microBatch: 16, labels: 1000 }, 1_924_508_672],
  ['yolo11n-cls', { imageSize: 224, microBatch: 64, labels: 1000 }, 617_313_280],
  ['yolo11m-cls', { imageSize: 224, microBatch: 64, labels: 1000 }, 2_383_692_800],
  ['yolo11x-cls', { imageSize: 320, microBatch: 16, labels: 10 }, 2_643_147_264],
]

/** Everything from a layer on trains. */
function from(first: number): TrainingSpec['trainable'] {
  const trained = Array.from({ length: 24 - first }, (_, index) => first + index)
  return { names: [`model\\.(?:${trained.join('|')})\\.`], inputGradients: false, keepsType: true }
}

const asUltralytics = { loop: 'ultralytics', precision: 'amp-fp16', labels: 80, imageSize: 640 } as const

describe("the peak that a trace of Ultralytics' step has", () => {
  test.each(traced)('%s with %j: within 1 %%', (model, changes, peakBytes) => {
    const { microBatch = 16, ...others } = changes
    const { bytes } = footprintOf(model, { ...asUltralytics, ...others }).peak(microBatch, 0)
    expect(Math.abs(bytes / peakBytes - 1)).toBeLessThan(0.01)
  })
})

describe('what a detector takes', () => {
  const peakOf = (changes: Partial<TrainingSpec> = {}) =>
    footprintOf('yolo11n', { ...asUltralytics, ...changes }).peak(16, 0)

  test('grows with the objects of the fullest image: by 12 bytes for every pixel that answers, up to about 84 of them', () => {
    const pixels = 80 ** 2 + 40 ** 2 + 20 ** 2
    expect(peakOf({ objects: 31 }).bytes - peakOf({ objects: 30 }).bytes).toBe(12 * pixels * 16)
    expect(peakOf({ objects: 201 }).bytes - peakOf({ objects: 200 }).bytes).toBe(32 * pixels * 16)
  })

  test('falls where no moving average of the weights is kept: by them and the statistics', () => {
    const average = peakOf().breakdown.weights - peakOf({ loop: 'plain' }).breakdown.weights
    expect(average / (4 * 2_624_080)).toBeCloseTo(1.03, 1)
  })

  test('without an assigner, in a forward-backward step, is less', () => {
    expect(peakOf({ step: 'forward-backward' }).bytes).toBeLessThan(peakOf().bytes)
  })
})
