/** Shows what this machine has, and so how the server answers. */
import { html } from 'hono/html'
import { formatGib } from '../../engine/base/units.ts'
import { type Machine, softwareOf, type TorchDevice } from '../../engine/probes/device.ts'
import type { Engine } from '../../engine/probes/engines.ts'
import { engineOn } from '../../engine/probes/open-probe.ts'
import type { Provenance } from '../../engine/probes/trial.ts'
import { formatCount } from '../../engine/render/figures.ts'
import { plainText } from '../../engine/render/plain.ts'
import type { Html } from './page.ts'
import { chip } from './provenance.ts'

/** `machine`: undefined while it is being described; the page's script then asks at `MACHINE_PATH`. */
export function machineCard(machine: Machine | undefined, engine: Engine | 'auto'): Html {
  return html`<section class="card machine" aria-labelledby="machine-title"${machine === undefined ? html` data-load="${MACHINE_PATH}"` : ''}>
<h2 id="machine-title">This machine</h2>
${machine === undefined ? html`<p class="sub">Still detecting the hardware. Reload to see it.</p>` : facts(machine, engine)}
</section>`
}

export const MACHINE_PATH = '/machine'

/** On a server that only estimates, the machine does not matter. */
function facts(machine: Machine, served: Engine | 'auto'): Html {
  const engine = served === 'auto' ? engineOn(machine) : served
  const rows = [...(served === 'estimate' ? [] : hardware(machine)), ['Figures', chip(provenanceOf(engine))] as const]
  return html`<dl class="facts">${rows.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>
<p class="sub">${meaning(engine)}</p>`
}

function hardware(machine: Machine): (readonly [name: string, value: string])[] {
  switch (machine.kind) {
    case 'python':
      return [
        ['GPU', deviceText(machine.device)],
        ['Software', plainText(softwareOf(machine), 200)],
      ]
    case 'no-python':
      return [
        ['GPU', 'none that PyTorch can use'],
        ['PyTorch', 'not found'],
      ]
  }
}

function deviceText(device: TorchDevice): string {
  switch (device.kind) {
    case 'cuda': {
      const one = `${plainText(device.name, 60)}, ${formatGib(device.totalBytes)}`
      return device.count > 1 ? `${formatCount(device.count)} × ${one} each` : one
    }
    case 'mps':
      return `${plainText(device.name, 60)}, ${formatGib(device.totalBytes)}`
    case 'cpu':
    case 'none':
      return 'none'
    case 'broken':
      return 'one that PyTorch cannot start'
  }
}

function provenanceOf(engine: Engine): Provenance {
  switch (engine) {
    case 'torch':
    case 'tfjs':
      return 'measured'
    case 'trace':
      return 'traced'
    case 'estimate':
      return 'estimated'
  }
}

function meaning(engine: Engine): string {
  switch (engine) {
    case 'torch':
      return 'Memory and speed are measured for its own GPU, and modelled for any other.'
    case 'tfjs':
      return 'Memory is measured by TensorFlow.js; speed is modelled.'
    case 'trace':
      return "Memory comes from PyTorch's own graph, without a GPU; speed is modelled."
    case 'estimate':
      return "Memory and speed are modelled, from the model's shape alone."
  }
}
