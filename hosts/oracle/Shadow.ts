/** Whether this instance is a shadow: it signs, and nobody relies on it (spec/2 §5.6). */
import { Context } from "effect"

export class Shadow extends Context.Service<Shadow, { readonly isShadow: boolean }>()("causeway/oracle/Shadow") {}
