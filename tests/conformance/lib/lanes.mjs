// Independent parts of a replay, several at a time: most of them wait, for a quiet moment or for a time limit of the protocol.

/** How many parts run at once. Each has an engine of its own. */
export const LANES = Number(process.env.III_REPLAY_LANES ?? 12)

/**
 * work(item) for every item, at most `lanes` at once, those with `slow` first; show(result, item) in the order of the items, each as soon
 * as those before it are shown. The first error ends it, after the parts that have begun.
 */
export async function inOrder(items, work, show, lanes = LANES) {
  const results = items.map(() => Promise.withResolvers())
  for (const { promise } of results) promise.catch(() => {})
  const queue = [...items.keys()].sort((a, b) => Boolean(items[b].slow) - Boolean(items[a].slow))
  let failed = false
  const lane = async () => {
    while (queue.length && !failed) {
      const i = queue.shift()
      try {
        results[i].resolve(await work(items[i]))
      } catch (error) {
        failed = true
        results[i].reject(error)
      }
    }
  }
  const begun = Promise.all(Array.from({ length: Math.min(lanes, items.length) }, lane))
  const shown = (async () => {
    for (const [i, item] of items.entries()) show(await results[i].promise, item)
  })()
  shown.catch(() => {})
  await begun
  // Parts that were not begun have no result to wait for.
  if (failed) await Promise.all(results.filter((_, i) => !queue.includes(i)).map(({ promise }) => promise))
  await shown
}
