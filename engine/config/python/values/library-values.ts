/** The few functions of Python's and torch's own that scripts compute settings with. */

import { posix } from 'node:path'
import { plainSentence } from '../../text/quote.ts'
import type { CallExpression } from '../syntax/expressions.ts'
import { isCopied, partialCall, replacedFields } from './copied-objects.ts'
import type { Evaluator } from './evaluator.ts'
import { instantiated } from './made-objects.ts'
import { writtenText } from './operators.ts'
import { ofParsedClass } from './parsed-classes.ts'
import { folderOf } from './paths.ts'
import { loadedSettings } from './settings-files.ts'
import { siteAt } from './sites.ts'
import { type Located, madeOfOpen, placeIn, type Site, type Value } from './values.ts'

interface Within {
  readonly evaluator: Evaluator
  readonly site: Site
  readonly located: Located
}

/** What the call gives, by the name of the function, or of the method after a dot; undefined for all others. */
export function libraryValue(
  name: string,
  call: CallExpression,
  object: Value | undefined,
  within: Within,
): Value | undefined {
  const { evaluator, site, located } = within
  const values = () => {
    const found = evaluator.argumentsOf(call, site)
    return found.unknown === undefined ? [...found.values.values()] : []
  }
  const named = (key: string) => evaluator.argumentsOf(call, site).values.get(key)
  switch (name) {
    case 'int':
    case 'float':
      return asNumber(values()[0], name === 'int')
    case 'len':
      return lengthOf(values()[0])
    case 'str':
    case 'Path':
    case 'pathlib.Path':
    case 'os.path.expanduser':
      return asText(values()[0])
    case 'bool':
    case 'list':
    case 'tuple':
    case 'set':
    case 'sorted':
      return values()[0]
    case 'copy.copy':
    case 'copy.deepcopy': {
      const [copied] = values()
      return copied && isCopied(copied, evaluator) ? copied : undefined
    }
    case 'copy.replace':
    case 'dataclasses.replace':
      return replacedFields(evaluator.argumentsOf(call, site), evaluator)
    case 'functools.partial':
      return partialCall(call, site, evaluator)
    case 'OmegaConf.to_container':
    case 'OmegaConf.to_object':
    case 'omegaconf.OmegaConf.to_container':
    case 'omegaconf.OmegaConf.to_object':
    case 'hydra.utils.to_absolute_path':
      return evaluator.argumentsOf(call, site).values.get('0')
    case 'hydra.utils.instantiate':
    case 'hydra.utils.call': {
      const given = new Map(evaluator.argumentsOf(call, site, ['config']).values)
      const settings = given.get('config')
      given.delete('config')
      return settings && instantiated(settings, given, site, evaluator)
    }
    // The folder of a model that is downloaded, which is as good as its name.
    case 'modelscope.snapshot_download':
    case 'modelscope.hub.snapshot_download.snapshot_download':
    case 'huggingface_hub.snapshot_download':
      return asText(named('repo_id') ?? named('model_id') ?? evaluator.argumentsOf(call, site).values.get('0'))
    case 'cast':
    case 'typing.cast':
      return values()[1]
    case 'max':
      return extreme(values(), name, located)
    case 'min':
      return least(values(), evaluator, located)
    case 'os.getenv':
    case 'os.environ.get': {
      const [variable, given] = values()
      const byDefault = given ?? named('default')
      if (
        byDefault === undefined ||
        byDefault.kind === 'open' ||
        byDefault.kind === 'none' ||
        variable?.kind !== 'text'
      )
        return undefined
      const remark = `${writtenText(byDefault) ?? 'A default'} is used unless the environment variable ${variable.text} is set (${placeIn(site.module, call.from)}).`
      return { ...byDefault, remarks: [...byDefault.remarks, remark] }
    }
    case 'os.path.abspath':
    case 'os.path.realpath':
      return asText(values()[0])
    case 'os.path.dirname': {
      const of = asText(values()[0])
      return of && folderOf(of)
    }
    case 'os.path.join': {
      const parts = values().map(writtenText)
      if (parts.length === 0 || parts.includes(undefined)) return undefined
      return { ...located, kind: 'text', text: parts.join('/') }
    }
    case 'torch.cuda.is_available':
      return { ...located, kind: 'flag', flag: true }
    // Estimates are of NVIDIA's GPUs.
    case 'torch.backends.mps.is_available':
    case 'torch.backends.mps.is_built':
    case 'torch.xpu.is_available':
      return { ...located, kind: 'flag', flag: false }
    case 'getattr': {
      const [of, attribute, byDefault] = values()
      if (of === undefined || attribute?.kind !== 'text') return undefined
      const value = evaluator.attribute(of, attribute.text, call, site)
      return value.kind === 'open' && byDefault !== undefined && of.kind !== 'open' ? byDefault : value
    }
    // The folder of the repository, from that of the script.
    case 'rootutils.setup_root':
    case 'pyrootutils.setup_root':
      return { ...located, kind: 'text', text: posix.relative(posix.dirname(site.module.path), '.') || '.' }
    // Since PyTorch 2.0.
    case 'hasattr': {
      const [of, attribute] = values()
      const isCompile =
        of?.kind === 'symbol' && of.name === 'torch' && attribute?.kind === 'text' && attribute.text === 'compile'
      return isCompile ? { ...located, kind: 'flag', flag: true } : undefined
    }
    case 'vars':
      return values()[0]
    case 'simple_parsing.parse':
    case 'pyrallis.parse':
    case 'draccus.parse':
    case 'tyro.cli': {
      const chosen = named('config_class') ?? values()[0]
      return chosen && ofParsedClass(chosen, { ...located, kind: 'call', name, call, site })
    }
  }
  if (/(?:^|\.)is_(?:torch_)?(?:bf16|bfloat16)_(?:gpu_)?(?:supported|available)$/.test(name)) {
    const { lacksBf16 } = evaluator
    const does = lacksBf16
      ? 'does not compute in bf16, as none before Ampere does'
      : 'computes in bf16, as those since Ampere do'
    const asked = site.module.text.slice(call.from, Math.min(call.to, call.from + 60))
    const remark = `The GPU ${does}: ${asked} (${placeIn(site.module, call.from)}) is taken to be ${!lacksBf16}.`
    return { ...located, remarks: [remark], kind: 'flag', flag: !lacksBf16 }
  }
  if (name === 'torch.cuda.get_device_capability') {
    const { lacksBf16 } = evaluator
    const remark = `The GPU is taken for one ${lacksBf16 ? 'before' : 'since'} Ampere (${placeIn(site.module, call.from)}).`
    const number = (value: number): Value => ({ ...located, remarks: [remark], kind: 'number', number: value })
    return { ...located, kind: 'list', items: [number(lacksBf16 ? 7 : 8), number(0)] }
  }
  if (object !== undefined) return methodValue(name, object, values(), evaluator, located)
  return loadedSettings(name, call, site, evaluator)
}

/** Characters of a text. */
const MAX_REPLACED = 200

/** Of a text that is split. */
const MAX_PARTS = 200

function methodValue(
  name: string,
  object: Value,
  values: readonly Value[],
  evaluator: Evaluator,
  located: Located,
): Value | undefined {
  const [first, second] = values
  const mapping = /^\.(?:get|pop|copy)$/.test(name) ? evaluator.asMapping(object) : object
  if (mapping.kind === 'mapping' && (name === '.get' || name === '.pop') && first?.kind === 'text') {
    const found = mapping.entries.get(first.text)
    if (found !== undefined || mapping.unknown !== undefined) return found
    return second ?? { ...located, kind: 'none' }
  }
  const isOptions = object.kind === 'call' && /\.parse_args$/.test(object.name)
  if (name === '.copy' && (isOptions || mapping.kind === 'mapping')) return object
  if (name === '.pop' && isOptions && first?.kind === 'text') {
    const option = evaluator.attribute(object, first.text, located, siteAt(object.site))
    return option.kind === 'open' && second !== undefined ? undefined : option
  }
  if (object.kind !== 'text') return undefined
  const argument = first?.kind === 'text' ? first.text : undefined
  switch (name) {
    case '.lower':
      return { ...object, text: object.text.toLowerCase() }
    case '.upper':
      return { ...object, text: object.text.toUpperCase() }
    // Of a path, which is relative to the repository's root.
    case '.resolve':
    case '.absolute':
    case '.expanduser':
    case '.as_posix':
      return object
    case '.joinpath':
      return values.every(({ kind }) => kind === 'text')
        ? { ...object, text: posix.join(object.text, ...values.flatMap(each => writtenText(each) ?? [])) }
        : undefined
    case '.split': {
      const by = argument ?? (first === undefined ? /\s+/ : undefined)
      if (by === undefined || by === '' || second !== undefined) return undefined
      const parts = object.text.split(by).slice(0, MAX_PARTS)
      return { ...object, kind: 'list', items: parts.map(text => ({ ...object, text })) }
    }
    case '.strip':
      return argument === undefined ? { ...object, text: object.text.trim() } : undefined
    case '.replace':
      return replaced(object, values)
    case '.removeprefix':
      if (argument === undefined) return undefined
      return object.text.startsWith(argument) ? { ...object, text: object.text.slice(argument.length) } : object
    case '.removesuffix':
      if (argument === undefined) return undefined
      return object.text.endsWith(argument)
        ? { ...object, text: object.text.slice(0, object.text.length - argument.length) }
        : object
    case '.startswith':
      return argument === undefined ? undefined : { ...located, kind: 'flag', flag: object.text.startsWith(argument) }
    case '.endswith':
      return argument === undefined ? undefined : { ...located, kind: 'flag', flag: object.text.endsWith(argument) }
    default:
      return undefined
  }
}

/** Of a text of ordinary length, everywhere. */
function replaced(object: Extract<Value, { kind: 'text' }>, [from, to, count]: readonly Value[]): Value | undefined {
  if (from?.kind !== 'text' || to?.kind !== 'text' || from.text === '' || count !== undefined) return undefined
  if (object.text.length > MAX_REPLACED || to.text.length > MAX_REPLACED) return undefined
  return { ...object, text: object.text.split(from.text).join(to.text) }
}

function asNumber(value: Value | undefined, isWhole: boolean): Value | undefined {
  if (value?.kind === 'number') return isWhole ? { ...value, number: Math.trunc(value.number) } : value
  if (value?.kind !== 'text' || !/^\s*[-+]?\d{1,15}(?:\.\d{1,15})?\s*$/.test(value.text))
    return value?.kind === 'open' ? madeOfOpen(value) : undefined
  const number = Number(value.text)
  return { ...value, kind: 'number', number: isWhole ? Math.trunc(number) : number }
}

function lengthOf(value: Value | undefined): Value | undefined {
  if (value?.kind === 'text') return { ...value, kind: 'number', number: [...value.text].length }
  return value?.kind === 'list' ? { ...value, kind: 'number', number: value.items.length } : undefined
}

function asText(value: Value | undefined): Value | undefined {
  const text = value && writtenText(value)
  if (value === undefined || text === undefined)
    return value?.kind === 'open' ? madeOfOpen(value) : value?.kind === 'symbol' ? value : undefined
  return { ...value, kind: 'text', text }
}

/** `min(args.max_seq_length, tokenizer.model_max_length)` */
export function isLimitOfTokenizer({ kind, module, from, to }: Value): boolean {
  return kind === 'open' && /tokenizer\.model_max_length$/.test(module.text.slice(from, to))
}

/** A limit of the tokenizer that is not known may be lower, so that nothing blocks by what the others say. */
function least(values: readonly Value[], evaluator: Evaluator, located: Located): Value | undefined {
  const limit = values.find(isLimitOfTokenizer)
  const others = values.filter(value => !isLimitOfTokenizer(value))
  if (limit === undefined || others.length === 0) return extreme(values, 'min', located)
  const known = extreme(others, 'min', located)
  if (known?.kind !== 'number') return known
  return belowLimit(known, limit, evaluator)
}

export function belowLimit(known: Value, limit: Value, evaluator: Evaluator): Value {
  const remark = `The tokenizer's own limit (${placeIn(limit.module, limit.from)}) is taken to be no lower.`
  evaluator.unsureRemarks.add(plainSentence(remark))
  return { ...known, remarks: [...known.remarks, remark] }
}

function extreme(values: readonly Value[], name: 'max' | 'min', located: Located): Value | undefined {
  const open = values.find(({ kind }) => kind === 'open')
  if (open?.kind === 'open') return madeOfOpen(open)
  const numbers = values.flatMap(value => (value.kind === 'number' ? [value.number] : []))
  if (numbers.length === 0 || numbers.length !== values.length) return undefined
  return { ...located, kind: 'number', number: Math[name](...numbers) }
}
