import type { ModelRow } from './model-row.ts'

const sizes = ['n', 's', 'm', 'l', 'x']

/** Ultralytics' detectors, by the names of their weights. */
export const yoloRows: readonly ModelRow[] = ['v8', '11'].flatMap(version =>
  sizes.map(size => ({ ids: [`ultralytics/yolo${version}${size}`], config: { model_type: 'yolo', version, size } })),
)
