/** Mixtures of experts, of which TensorFlow.js has none here. */
import { UnsupportedLayer } from '../support.ts'
import { Linears } from './linears.ts'

export class Experts extends Linears {
  routed(): never {
    throw new UnsupportedLayer('sparse experts')
  }

  experts(): never {
    throw new UnsupportedLayer('sparse experts')
  }

  everyExpert(): never {
    throw new UnsupportedLayer('sparse experts')
  }
}
