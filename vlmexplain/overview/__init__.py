"""From one failure to the whole model: figures, slices, comparisons over stored runs."""
