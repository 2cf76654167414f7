/** What PyTorch runs on. */
export const deviceKinds = ['cuda', 'mps', 'cpu'] as const
export type DeviceKind = (typeof deviceKinds)[number]
