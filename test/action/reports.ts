import { defaultPolicy, REPORT_SCHEMA, type Report } from '../../engine/index.ts'

export const noConfigs: Report = {
  schema: REPORT_SCHEMA,
  toolVersion: '0.0.0',
  createdAt: '2026-01-02T03:04:05.000Z',
  policy: defaultPolicy,
  configs: [],
}

export function unanalysed(path: string): Report {
  const problem = { code: 'not-yaml', message: 'Not valid YAML', fix: 'Correct it.', file: path, line: 3 }
  return { ...noConfigs, configs: [{ status: 'not-analysed', path, problems: [problem] }] }
}
