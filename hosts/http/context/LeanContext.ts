/**
 * The context in which requests begin: without our services. Every handler and every middleware has the ones that it
 * needs from the layer that made it, and effect copies the context of a request several times: for every ninth addition,
 * and to merge it with that of its route. An open stream keeps these copies.
 *
 * References that are not ours (loggers, tracer, limits of bodies) stay, and so do services of an embedding program.
 */
import { Context } from "effect"

/** How the keys of our services begin. */
const OURS = "causeway/"

export const leanContext = <Services>(context: Context.Context<Services>): Context.Context<Services> =>
  Context.makeUnsafe<Services>(new Map([...context.mapUnsafe].filter(([key]) => !key.startsWith(OURS))))
