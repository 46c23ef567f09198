// What the first screen draws of a machine: its cores, and its memory where there is room for it.
import {coreFigure} from './core_figure';
import type {ResultDocument} from './document';
import type {Figure} from './figure';
import {memoryFigure} from './memory_figure';

export interface GlanceFigure {
  /** Made anew for every look: in light, in dark, on paper. */
  draw: () => Figure;
  caption: string;
  /** The view that has more of it. */
  more: {view: string; text: string};
}

/** Below a taller one there is no room for another. */
const kShortFigure = 260;

export function glanceFigures({cores, memory}: ResultDocument): GlanceFigure[] {
  const [matrix, row] = [cores?.[0], memory?.[0]];
  const ofCores = matrix && coreFigure(matrix);
  const ofMemory = row && memoryFigure(row);
  const figures: GlanceFigure[] = [];
  if (ofCores) {
    figures.push({
      draw: drawnAgain(ofCores, () => coreFigure(matrix)),
      caption: 'From core to core, one way.',
      more: {view: 'cores', text: 'Every pair and level'},
    });
  }
  if (ofMemory && (!ofCores || ofCores.height < kShortFigure)) {
    figures.push({
      draw: drawnAgain(ofMemory, () => memoryFigure(row)),
      caption: 'A load, by how much memory is visited.',
      more: {view: 'memory', text: 'Every level'},
    });
  }
  return figures;
}

/** First what is there: of a large machine it takes a while. */
function drawnAgain(first: Figure, draw: () => Figure | undefined): () => Figure {
  let ready: Figure | undefined = first;
  return () => {
    const figure = ready ?? draw() ?? first;
    ready = undefined;
    return figure;
  };
}
