/** Whether this instance is a shadow: it signs, and its signatures are not relied on (ORACLE-13). */
import { Context } from "effect"

export class Shadow extends Context.Service<Shadow, { readonly isShadow: boolean }>()("causeway/oracle/Shadow") {}
