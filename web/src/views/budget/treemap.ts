/** Areas in proportion to values, as near to squares as they can be. Pure. */
export interface Tile<Item> {
  readonly item: Item;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** Items of value 0 get no tile. */
export function treemap<Item>(
  items: readonly Item[],
  costOf: (item: Item) => number,
  box: Box,
): readonly Tile<Item>[] {
  const sorted = items.filter((item) => costOf(item) > 0).sort((a, b) => costOf(b) - costOf(a));
  const total = sorted.reduce((sum, item) => sum + costOf(item), 0);
  if (total === 0) return [];
  const scale = (box.width * box.height) / total;
  const tiles: Tile<Item>[] = [];
  let rest = box;
  for (let start = 0; start < sorted.length; ) {
    const side = Math.min(rest.width, rest.height);
    let end = start + 1;
    let area = costOf(sorted[start] as Item) * scale;
    // A row takes one more tile as long as that makes its worst tile squarer.
    while (end < sorted.length) {
      const more = area + costOf(sorted[end] as Item) * scale;
      const first = costOf(sorted[start] as Item) * scale;
      const worstNow = worst(area, side, [first, costOf(sorted[end - 1] as Item) * scale]);
      const worstThen = worst(more, side, [first, costOf(sorted[end] as Item) * scale]);
      if (worstThen > worstNow) break;
      area = more;
      end++;
    }
    rest = placeRow(sorted.slice(start, end), { rest, area, sizeOf: (item) => costOf(item) * scale, tiles });
    start = end;
  }
  return tiles;
}

function worst(area: number, side: number, [largest, smallest]: readonly [number, number]): number {
  const depth = area / side;
  return Math.max(largest / depth / depth, depth / (smallest / depth));
}

function placeRow<Item>(
  row: readonly Item[],
  how: {
    readonly rest: Box;
    readonly area: number;
    readonly sizeOf: (item: Item) => number;
    readonly tiles: Tile<Item>[];
  },
): Box {
  const { rest, area, sizeOf, tiles } = how;
  const upright = rest.width >= rest.height;
  const depth = area / (upright ? rest.height : rest.width);
  let along = 0;
  for (const item of row) {
    const length = sizeOf(item) / depth;
    tiles.push(
      upright
        ? { item, x: rest.x, y: rest.y + along, width: depth, height: length }
        : { item, x: rest.x + along, y: rest.y, width: length, height: depth },
    );
    along += length;
  }
  return upright
    ? { ...rest, x: rest.x + depth, width: rest.width - depth }
    : { ...rest, y: rest.y + depth, height: rest.height - depth };
}
