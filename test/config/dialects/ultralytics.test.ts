import { describe, expect, it } from 'vitest'
import { onlyProblemIn, problemsIn, trainingConfig } from '../readings.ts'

const config = (...lines: readonly string[]) =>
  ['model: yolo11n.pt', 'data: coco.yaml', 'epochs: 100', 'batch: 16', 'imgsz: 640', ...lines].join('\n')

/** The config with another line for a key that it sets. */
const changed = (key: string, line: string) => config().replace(new RegExp(`^${key}: .*$`, 'm'), line)

describe('a config of Ultralytics', () => {
  it('becomes a spec, with the defaults of its trainer', () => {
    expect(trainingConfig(config())).toMatchObject({
      dialect: 'Ultralytics',
      batchSizeAt: { line: 4, column: 8 },
      spec: {
        model: 'ultralytics/yolo11n',
        task: 'object-detection',
        loop: 'ultralytics',
        microBatch: 16,
        gradientAccumulation: 4,
        gpus: 1,
        imageSize: 640,
        labels: 80,
        precision: 'amp-fp16',
        optimizer: 'adamw',
      },
    })
  })

  it.each([
    ['yolov8n.pt', 'ultralytics/yolov8n'],
    ['yolov8x', 'ultralytics/yolov8x'],
    ['weights/yolo11m.pt', 'ultralytics/yolo11m'],
    ['C:\\weights\\YOLO11L.pt', 'ultralytics/yolo11l'],
    ['yolov8s-oiv7.pt', 'ultralytics/yolov8s'],
    ['yolov8l.yaml', 'ultralytics/yolov8l'],
    ['yolo11.yaml', 'ultralytics/yolo11n'],
    ['yolo26x.pt', 'ultralytics/yolo26x'],
    ['yolo26-cls.yaml', 'ultralytics/yolo26n-cls'],
    ['yolo11s-cls.pt', 'ultralytics/yolo11s-cls'],
  ])('that trains %s trains %s', (name, id) => {
    expect(trainingConfig(changed('model', `model: ${name}`)).spec.model).toBe(id)
  })

  it.each([
    ['runs/detect/train3/weights/best.pt', 'is the result of an earlier run, and its name does not say its shape'],
    ['yolo11n-seg.pt', 'is an Ultralytics model that is not modelled yet'],
    ['yolo26n-pose.pt', 'is an Ultralytics model that is not modelled yet'],
    ['yolov8s-world.pt', 'is an Ultralytics model that is not modelled yet'],
    ['rtdetr-l.pt', 'is an Ultralytics model that is not modelled yet'],
    ['yolov8.pt', 'is an Ultralytics model that is not modelled yet'],
    ['acme-detector.yaml', 'has a name that does not say its shape'],
  ])('is told of %s that it %s', (name, why) => {
    expect(onlyProblemIn(changed('model', `model: ${name}`))).toMatchObject({
      code: 'unknown-model',
      message: `The model "${name}" ${why}`,
      line: 1,
    })
  })

  it.each([
    ['batch: 8', 8, 8],
    ['batch: 24', 24, 3],
    ['batch: 64', 64, 1],
    ['batch: 128', 128, 1],
    // Python rounds 2.5 to 2.
    ['batch: 2\nnbs: 5', 2, 2],
    ['batch: 16\nnbs: 16', 16, 1],
  ])('with %j has micro-batches of %i and accumulates %i', (line, microBatch, gradientAccumulation) => {
    expect(trainingConfig(changed('batch', line)).spec).toMatchObject({ microBatch, gradientAccumulation })
  })

  it.each([
    ['device: 0', 1, 16],
    ['device: "0,1"', 2, 8],
    ['device: 0,1,2,3', 4, 4],
    ['device: [0, 1]', 2, 8],
    ['device: -1', 1, 16],
  ])('with %s runs on %i GPUs, %i images each', (line, gpus, microBatch) => {
    const reading = trainingConfig(config(line))
    expect(reading.spec).toMatchObject({ gpus, microBatch, gradientAccumulation: 4 })
    expect('batchSizeAt' in reading).toBe(gpus === 1)
  })

  it('for the CPU is told that no GPU is asked for', () => {
    expect(onlyProblemIn(config('device: cpu'))).toMatchObject({ code: 'not-on-gpu', line: 6 })
  })

  it('that lets it look for a batch size says so', () => {
    expect(onlyProblemIn(changed('batch', 'batch: -1'))).toMatchObject({
      code: 'not-in-file',
      line: 4,
      message: 'The batch size cannot be determined from the file: -1 lets Ultralytics choose one',
    })
    expect(problemsIn(changed('batch', 'batch: 0.7'))[0]).toMatchObject({ code: 'not-in-file' })
  })

  it.each([
    ['imgsz: 640', 640],
    ['imgsz: 650', 672],
    ['imgsz: [480, 640]', 640],
    ['imgsz: 640\nmulti_scale: true', 960],
    ['imgsz: 640\nmulti_scale: 0.25', 800],
    ['imgsz: 640\nmulti_scale: false', 640],
  ])('with %j sees %i pixels a side at most', (line, imageSize) => {
    expect(trainingConfig(changed('imgsz', line)).spec.imageSize).toBe(imageSize)
  })

  it('says which of its sizes is counted where it is not the one written', () => {
    expect(trainingConfig(changed('imgsz', 'imgsz: 650')).assumptions).toContain(
      'Images of 672×672 pixels: 650 is not a multiple of 32.',
    )
    expect(trainingConfig(config('multi_scale: true')).assumptions).toContain(
      'Images of 960×960 pixels, the largest size that multi_scale picks.',
    )
  })

  it.each([
    ['data: coco128.yaml', 80],
    ['data: datasets/VOC.yaml', 20],
    ['data: VisDrone.yaml\nsingle_cls: true', 1],
    ['data: acme.yaml', 80],
  ])('with %j tells %i classes apart', (line, labels) => {
    expect(trainingConfig(changed('data', line)).spec.labels).toBe(labels)
  })

  it('of a classifier has no objects to assume', () => {
    const text = config().replace('yolo11n.pt', 'yolo11n-cls.pt').replace('coco.yaml', 'imagenette')
    const { spec, assumptions } = trainingConfig(text)
    expect(spec).toMatchObject({ task: 'image-classification', labels: 10, loop: 'ultralytics' })
    expect(assumptions.join(' ')).not.toContain('objects')
  })

  it('of a detector of poses is taken to look for people', () => {
    const { spec, assumptions } = trainingConfig(
      config().replace('yolo11n.pt', 'yolo11n-pose.pt').replace('coco.yaml', 'acme.yaml'),
    )
    expect(spec).toMatchObject({ model: 'ultralytics/yolo11n-pose', task: 'object-detection', labels: 1 })
    expect(assumptions).toContain('One class, people with 17 keypoints each, as in COCO: the config does not say.')
  })

  it('says that classes and objects are assumed', () => {
    const { assumptions } = trainingConfig(changed('data', 'data: acme.yaml'))
    expect(assumptions).toContain('80 classes, as in COCO: the config sets no number of labels.')
    expect(assumptions).toContainEqual(expect.stringMatching(/^Up to 50 objects per image.* adds 98 KiB/))
    // With few classes the peak is where boxes and pixels are compared.
    const few = trainingConfig(changed('data', 'data: VOC.yaml')).assumptions
    expect(few).toContainEqual(expect.stringMatching(/^Up to 50 objects.* adds 263 KiB/))
  })

  it.each([
    ['SGD', 'sgd-momentum'],
    ['MuSGD', 'adamw'],
    ['RMSProp', 'adamw'],
    ['auto', 'adamw'],
  ] as const)('with the optimizer %s holds what %s does', (name, optimizer) => {
    expect(trainingConfig(config(`optimizer: ${name}`)).spec.optimizer).toBe(optimizer)
  })

  it('is told that an optimizer is not one of them', () => {
    expect(onlyProblemIn(config('optimizer: Lion'))).toMatchObject({ code: 'unsupported-optimizer', line: 6 })
  })

  it.each([
    ['freeze: 3', /^model\\.\(\?:3\|4\|.*\|22\|/],
    ['freeze: [0, 22]', /^model\\.\(\?:1\|2\|.*\|21\|23\|/],
  ])('with %s trains the other layers', (line, names) => {
    const { trainable } = trainingConfig(config(line)).spec
    expect(trainable).toEqual({ names: [expect.stringMatching(names)], inputGradients: false, keepsType: true })
    expect(trainable?.names[0]?.length).toBeLessThan(200)
  })

  it('with freeze: 0, or none, trains everything', () => {
    expect(trainingConfig(config('freeze: 0')).spec).not.toHaveProperty('trainable')
    expect(trainingConfig(config('freeze: null')).spec).not.toHaveProperty('trainable')
  })

  it('without amp computes in float32', () => {
    expect(trainingConfig(config('amp: False')).spec.precision).toBe('fp32')
  })
})
