import type { ModelRow } from './model-row.ts'

const versions = ['v8', '11', '26']
const sizes = ['n', 's', 'm', 'l', 'x']

function rows(head: string, suffix: string): readonly ModelRow[] {
  return versions.flatMap(version =>
    sizes.map(size => ({
      ids: [`ultralytics/yolo${version}${size}${suffix}`],
      config: { model_type: 'yolo', version, size, head },
    })),
  )
}

/** Ultralytics' detectors and classifiers, by the names of their weights. */
export const yoloRows: readonly ModelRow[] = [...rows('detect', ''), ...rows('classify', '-cls')]
