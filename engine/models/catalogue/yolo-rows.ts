import type { ModelRow } from './model-row.ts'

const versions = ['v8', '11', '26']
const sizes = ['n', 's', 'm', 'l', 'x']

function rows(head: string, suffix: string, of = versions): readonly ModelRow[] {
  return of.flatMap(version =>
    sizes.map(size => ({
      ids: [`ultralytics/yolo${version}${size}${suffix}`],
      config: { model_type: 'yolo', version, size, head },
    })),
  )
}

/** Ultralytics' detectors and classifiers, by the names of their weights. YOLO26 finds keypoints in another way. */
export const yoloRows: readonly ModelRow[] = [
  ...rows('detect', ''),
  ...rows('pose', '-pose', ['v8', '11']),
  ...rows('classify', '-cls'),
]
