/** Thrown by a call when the node has no answer yet. This is no fault of the endpoint, and never evidence. */
export class NodeIsBehind extends Error {}
