"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const pieces = [...document.querySelectorAll(".u")];
  const grid = document.querySelector("main");
  const tip = document.getElementById("tip");

  const about = (number) => data.lanes.map((lane, side) => {
    const [chunk, unit, gap] = data.pieces[number][side];
    const lines = [data.lanes.length > 1 ? "AB"[side] + ":" : ""];
    lines.push(chunk < 0 ? "in no chunk" : `chunk ${chunk + 1}, ${lane.sizes[chunk]} tokens`);
    if (unit >= 0) lines.push(`sentence ${unit + 1}, ${lane.tokens[unit]} tokens`);
    if (gap >= 0) {
      lines.push(`distance to what follows ${lane.distances[gap].toFixed(3)}`);
      lines.push((lane.cut[gap] ? "Cut here: " : "No cut here: ") + lane.whys[gap]);
    }
    return lines.filter(Boolean).join("\n");
  }).join("\n\n");

  const place = (event) => {
    const margin = 14, box = tip.getBoundingClientRect();
    const x = Math.min(event.clientX + margin, innerWidth - box.width - margin);
    const below = event.clientY + margin + box.height < innerHeight;
    tip.style.left = Math.max(4, x) + "px";
    tip.style.top = (below ? event.clientY + margin : Math.max(4, event.clientY - margin - box.height)) + "px";
  };
  const numbers = new Map(pieces.map((piece, number) => [piece, number]));
  grid.addEventListener("pointerover", (event) => {
    const number = numbers.get(event.target);
    tip.hidden = number === undefined;
    if (!tip.hidden) { tip.textContent = about(number); place(event); }
  });
  grid.addEventListener("pointermove", (event) => { if (!tip.hidden) place(event); });
  grid.addEventListener("pointerleave", () => { tip.hidden = true; });

  const make = (name, attributes) => {
    const node = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const key in attributes) node.setAttribute(key, attributes[key]);
    return node;
  };
  const draw = () => {
    const top = grid.getBoundingClientRect().top;
    const bottoms = pieces.map((piece) => {
      const boxes = piece.getClientRects();
      return boxes.length ? boxes[boxes.length - 1].bottom - top : -1;
    });
    document.querySelectorAll(".gradient").forEach((column) => {
      const side = Number(column.dataset.side), lane = data.lanes[side];
      const width = column.clientWidth, height = grid.clientHeight;
      const most = Math.max(lane.level || 0, ...lane.distances, 1e-9);
      const x = (value) => (4 + value / most * (width - 10)).toFixed(1);
      const svg = make("svg", { width, height });
      const points = [];
      data.pieces.forEach((piece, number) => {
        const gap = piece[side][2], y = bottoms[number];
        if (gap < 0 || y < 0) return;
        points.push(x(lane.distances[gap]) + "," + y.toFixed(1));
        if (lane.cut[gap]) {
          const kind = "cut" + (lane.cut[gap] > 1 ? " forced" : "");
          svg.append(make("line", { x1: 0, x2: width, y1: y, y2: y, class: kind }));
          svg.append(make("circle", { cx: x(lane.distances[gap]), cy: y, r: 2.5 }));
        }
      });
      if (lane.level !== null) {
        svg.append(make("line", { x1: x(lane.level), x2: x(lane.level), y1: 0, y2: height, class: "tau" }));
      }
      svg.append(make("polyline", { points: points.join(" "), class: "curve" }));
      column.replaceChildren(svg);
    });
    document.documentElement.dataset.drawn = String(pieces.length);
  };
  draw();
  new ResizeObserver(draw).observe(grid);
})();
