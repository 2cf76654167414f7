/** How many classes Ultralytics trains for: those of the dataset, whose file is not read. */

import type { CatalogueModel } from '../../../models/catalogue.ts'
import type { FieldReader } from '../../fields/fields.ts'
import { readLabels } from '../../fields/model-fields.ts'
import type { Section } from '../../text/section.ts'

/** Of the datasets that come with it: cfg/datasets, and those that it downloads for classifiers. */
const classesOf: ReadonlyMap<string, number> = new Map([
  ['african-wildlife', 4],
  ['argoverse', 8],
  ['brain-tumor', 2],
  ['cifar10', 10],
  ['cifar100', 100],
  ['coco', 80],
  ['coco-pose', 1],
  ['coco8-pose', 1],
  ['coco8', 80],
  ['coco8-grayscale', 80],
  ['coco12-formats', 80],
  ['coco128', 80],
  ['construction-ppe', 11],
  ['fashion-mnist', 10],
  ['globalwheat2020', 1],
  ['homeobjects-3k', 12],
  ['imagenet', 1_000],
  ['imagenet10', 10],
  ['imagenet100', 100],
  ['imagenette', 10],
  ['imagewoof', 10],
  ['kitti', 8],
  ['lvis', 1_203],
  ['medical-pills', 1],
  ['mnist', 10],
  ['mnist160', 10],
  ['objects365', 365],
  ['open-images-v7', 601],
  ['signature', 1],
  ['sku-110k', 1],
  ['tt100k', 221],
  ['visdrone', 10],
  ['voc', 20],
  ['xview', 60],
])

export function readClasses(reader: FieldReader, document: Section, model: CatalogueModel | undefined): number {
  const single = document.at('single_cls')
  if (single !== undefined && reader.flag(single) === true) return reader.note('labels', 1, single)
  const data = document.at('data')
  const name =
    data?.value.kind === 'text'
      ? data.value.text
          .trim()
          .split(/[/\\]/)
          .at(-1)
          ?.replace(/\.ya?ml$/, '')
      : undefined
  const known = classesOf.get(name?.toLowerCase() ?? '')
  if (data !== undefined && known !== undefined && !reader.supplies('labels')) return reader.note('labels', known, data)
  if (!findsKeypoints(model)) return readLabels(reader, undefined, model?.defaultTask, known)
  reader.assume('One class, people with 17 keypoints each, as in COCO: the config does not say.')
  return readLabels(reader, undefined, model?.defaultTask, 1)
}

function findsKeypoints(model: CatalogueModel | undefined): boolean {
  return model?.config.model_type === 'yolo' && model.config.head === 'pose'
}
