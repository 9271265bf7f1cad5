/** Whether this instance is a shadow: it signs, and nobody relies on it (ORACLE-13). */
import { Context } from "effect"

export class Shadow extends Context.Service<Shadow, { readonly isShadow: boolean }>()("causeway/oracle/Shadow") {}
