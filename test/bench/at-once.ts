/** Does `count` pieces of work, so many at once; thousands a second would be too long a queue for some. */
export async function atOnce(
  lanes: number,
  count: number,
  work: (n: number) => Promise<unknown>,
): Promise<void> {
  let next = 0;
  const lane = async () => {
    while (next < count) await work(next++);
  };
  await Promise.all(Array.from({ length: lanes }, lane));
}
