/** The config.json of any model that is supported. */
import * as z from 'zod'
import { configSchemas } from './families.ts'

export const modelConfig = z.discriminatedUnion('model_type', configSchemas)
